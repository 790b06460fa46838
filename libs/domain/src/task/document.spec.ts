import type { Artifact } from '../content.js';
import type { JsonObject } from '../json.js';
import {
  agentMessage,
  artifact,
  artifactRecorded,
  at,
  cancellationDeclined,
  cancellationRequested,
  canceled,
  childLinked,
  completed,
  inputRequested,
  message,
  messageRecorded,
  progressed,
  recorded,
  started,
  submitted,
} from '../testing/events.js';
import type { TaskDocument } from './document.js';
import { emptyDocument, evolveDocument, evolveDocumentAll } from './document-fold.js';
import type { TaskEvent } from './events.js';
import { plain } from '../content.js';

const documentOf = (...events: readonly TaskEvent[]): TaskDocument =>
  evolveDocumentAll(undefined, recorded(events));

const texts = (parts: readonly JsonObject[] | undefined) => parts?.map(({ text }) => text);

describe('C09 messages', () => {
  const history = [submitted, started(1, 's1'), progressed(2, 's2'), completed(3, 's3')];

  it('stand in append order, status messages at their own revision', () => {
    expect(documentOf(...history).messages).toEqual([
      { revision: 0, message: message('hello') },
      { revision: 1, message: agentMessage('s1') },
      { revision: 2, message: agentMessage('s2') },
      { revision: 3, message: agentMessage('s3') },
    ]);
  });

  it('of both sides are one list', () => {
    const document = documentOf(submitted, inputRequested(), messageRecorded(3, message('that one')));
    expect(document.messages.map((entry) => entry.message.role)).toEqual([
      'ROLE_USER',
      'ROLE_AGENT',
      'ROLE_USER',
    ]);
  });

  it('are as they were sent, with names that mean something to JavaScript', () => {
    const said = JSON.parse(
      '{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}],"metadata":{"__proto__":{"isAdmin":true},"constructor":1}}',
    ) as ReturnType<typeof message>;
    const document = documentOf(submitted, messageRecorded(1, said));
    expect(JSON.stringify(document.messages[1]?.message)).toBe(JSON.stringify(said));
    expect({}).not.toHaveProperty('isAdmin');
  });
});

describe('C10 one artifact is stored as one', () => {
  const chunks = [
    artifactRecorded(1, artifact('a1', 'Hello')),
    artifactRecorded(2, artifact('b1', 'x')),
    artifactRecorded(3, artifact('a1', ' world'), { append: true }),
    artifactRecorded(4, artifact('a1', '!'), { append: true, lastChunk: true }),
  ];

  it('in first-seen order, chunks joined in append order', () => {
    expect(documentOf(submitted, ...chunks).artifacts).toEqual([
      artifact('a1', 'Hello', ' world', '!'),
      artifact('b1', 'x'),
    ]);
  });

  it('and keeps its place when it is replaced, with parts and everything else anew', () => {
    const named: Artifact = { ...artifact('a1', 'Bye'), name: 'farewell' };
    const document = documentOf(submitted, ...chunks.slice(0, 3), artifactRecorded(4, named));
    expect(document.artifacts).toEqual([named, artifact('b1', 'x')]);
    const again = documentOf(submitted, artifactRecorded(1, named), ...chunks.slice(0, 1));
    expect(again.artifacts).toEqual([artifact('a1', 'Hello')]);
  });

  it('and takes names and metadata of later chunks, as clients do that fold the stream', () => {
    const first: Artifact = { ...artifact('a1', 'x'), name: 'draft', metadata: { a: 1, b: 1 } };
    const second: Artifact = { ...artifact('a1', 'y'), name: '', description: 'final', metadata: { b: 2 } };
    const document = documentOf(
      submitted,
      artifactRecorded(1, first),
      artifactRecorded(2, second, { append: true }),
    );
    expect(document.artifacts).toEqual([
      {
        artifactId: 'a1',
        name: 'draft',
        description: 'final',
        metadata: { a: 1, b: 2 },
        parts: [{ text: 'x' }, { text: 'y' }],
      },
    ]);
  });

  it('whatever its id and whatever other members it has', () => {
    const odd = { ...artifact('__proto__', 'x'), head: 'not ours' } as Artifact;
    const document = documentOf(
      submitted,
      artifactRecorded(1, odd),
      artifactRecorded(2, artifact('__proto__', 'y'), { append: true }),
    );
    expect(document.artifacts).toEqual([{ ...odd, parts: [{ text: 'x' }, { text: 'y' }] }]);
  });
});

describe('a reason', () => {
  it('is that of the end', () => {
    expect(documentOf(submitted, canceled(9, 'too slow')).reason).toBe('too slow');
    const failed: TaskEvent = {
      type: 'TaskFailed',
      data: { at: at(9), content: plain({ reason: 'no disk' }) },
    };
    expect(documentOf(submitted, failed).reason).toBe('no disk');
  });

  it('is that of the request until the end, unless it is declined', () => {
    const asked = [submitted, started(), cancellationRequested()];
    expect(documentOf(...asked).reason).toBe('too slow');
    expect(documentOf(...asked, canceled()).reason).toBe('too slow');
    expect(documentOf(...asked, cancellationDeclined())).not.toHaveProperty('reason');
    expect(documentOf(...asked, completed())).not.toHaveProperty('reason');
  });
});

describe('a fold of a run of events', () => {
  const history = [
    submitted,
    started(1, 's1'),
    ...['a', 'b', 'a'].map((id, index) => artifactRecorded(index, artifact(id, 'x'))),
    ...['a', 'b', 'a'].map((id, index) => artifactRecorded(index, artifact(id, 'y'), { append: true })),
    childLinked(4, 'k'),
    messageRecorded(5, message('m')),
    completed(6, 'done'),
  ];

  it('is the fold of one event after the other', () => {
    const oneByOne = recorded(history).reduce<TaskDocument>(evolveDocument, emptyDocument);
    expect(documentOf(...history)).toEqual(oneByOne);
  });

  it('may be cut anywhere', () => {
    const events = recorded(history);
    for (let cut = 0; cut <= events.length; cut += 1) {
      const before = evolveDocumentAll(undefined, events.slice(0, cut));
      const copy = structuredClone(before);
      expect(evolveDocumentAll(before, events.slice(cut))).toEqual(documentOf(...history));
      expect(before).toEqual(copy);
    }
  });

  it('joins the parts of very many chunks', () => {
    const chunks = Array.from({ length: 20_000 }, (_, index) =>
      artifactRecorded(1, artifact('a', String(index)), { append: index > 0 }),
    );
    const [only] = documentOf(submitted, ...chunks).artifacts;
    expect(texts(only?.parts)).toHaveLength(20_000);
    expect(texts(only?.parts?.slice(-1))).toEqual(['19999']);
  });
});
