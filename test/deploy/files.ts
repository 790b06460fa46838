import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';

export const repository = resolve(import.meta.dirname, '../..');

export const textOf = (path: string): string => readFileSync(join(repository, path), 'utf8');

// compose's merge keys (`<<`) are an extension of YAML 1.2.
const schema = CORE_SCHEMA.withTags(mergeTag);

/** A YAML file of the repository, as it says it. */
export const yamlOf = (path: string): unknown => load(textOf(path), { schema });

/** Whether a program is here and answers. */
export const answers = (program: string, ...words: string[]): boolean =>
  spawnSync(program, words, { stdio: 'ignore' }).status === 0;
