import type { Artifact } from '../content.js';

/** An artifact without its parts, which views keep apart. */
export type ArtifactHead = Omit<Artifact, 'parts'>;

export const headOf = ({ parts: _parts, ...head }: Artifact): ArtifactHead => head;

/**
 * The head after one more chunk. A chunk that does not append replaces it; one that appends renames and adds
 * metadata, as clients do that fold the stream themselves (C10).
 */
export const nextHead = (head: ArtifactHead | undefined, chunk: Artifact, append: boolean): ArtifactHead => {
  if (head === undefined || !append) return headOf(chunk);
  const { name, description, metadata } = chunk;
  return {
    ...head,
    ...(name !== undefined && name !== '' && { name }),
    ...(description !== undefined && description !== '' && { description }),
    ...(metadata !== undefined && { metadata: { ...head.metadata, ...metadata } }),
  };
};
