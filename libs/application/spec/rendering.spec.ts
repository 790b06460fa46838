import {
  certificateMermaid,
  certificateText,
  whyMermaid,
  whyText,
  type Certificate,
  type CertificateNode,
  type WhyStep,
} from '../src/index.js';

const at = '2026-03-01T12:00:00.000Z';

const node = (taskId: string, depth: number, more: Partial<CertificateNode> = {}): CertificateNode => ({
  taskId,
  depth,
  outcome: 'canceled',
  reachedAt: at,
  worker: 'none',
  attempts: 1,
  ...more,
});

const certificate = (nodes: readonly CertificateNode[], more: Partial<Certificate> = {}): Certificate => ({
  cancellationId: 'c-1',
  rootTaskId: nodes[0]?.taskId ?? '',
  requestedAt: at,
  requestedBy: { principal: 'alice', role: 'user', via: 'a2a-jsonrpc' },
  mode: 'immediate',
  cascade: true,
  status: 'settled',
  settledAt: at,
  counts: {
    canceled: 3,
    forced: 0,
    alreadyTerminal: 0,
    lostRace: 0,
    abandoned: 1,
    refused: 0,
    unreachable: 0,
    unknownRemote: 0,
  },
  workers: { none: 3, unnotified: 1, notified: 0, acknowledged: 0, leaseExpired: 0, wroteLate: 0 },
  nodes,
  survivors: [],
  unconfirmed: [],
  repeats: [],
  ...more,
});

const family = certificate(
  [
    node('P', 0, { worker: 'unnotified' }),
    node('A', 1, {
      parentTaskId: 'P',
      policy: 'cascade',
      worker: 'acknowledged',
      acknowledged: { by: 'w', at },
    }),
    node('D', 1, { parentTaskId: 'P', policy: 'abandon', outcome: 'abandoned' }),
    node('A1', 2, { parentTaskId: 'A', policy: 'cascade', late: true }),
  ],
  { reason: 'budget exceeded', survivors: ['D'], unconfirmed: ['P'] },
);

describe('a certificate as text', () => {
  it('is a head and an indented tree, children below their parents', () => {
    expect(certificateText(family)).toBe(
      [
        'cancellation c-1',
        'status       settled, settled 2026-03-01T12:00:00.000Z',
        'root         P',
        'requested    2026-03-01T12:00:00.000Z by alice (user, a2a-jsonrpc)',
        'reason       budget exceeded',
        'scope        immediate, with everything below',
        'outcomes     canceled 3, abandoned 1',
        'workers      none 3, unnotified 1',
        '  P  canceled, worker unnotified',
        '    A  canceled, worker acknowledged (w)',
        '      A1  canceled, late',
        '    D  abandoned, abandon [survivor]',
        'survivors: D',
        'unconfirmed: P',
        '',
      ].join('\n'),
    );
  });

  it('keeps to a terminal’s width and to one line, whatever people called things', () => {
    const hostile = `\u001b[2J${'x'.repeat(300)}\n\u202eevil`;
    const text = certificateText(certificate([node(hostile, 0)], { reason: hostile, survivors: [hostile] }));
    const lines = text.trimEnd().split('\n');
    expect(Math.max(...lines.map((shown) => Array.from(shown).length))).toBeLessThanOrEqual(120);
    for (const control of ['\u001b', '\u202e']) expect(text).not.toContain(control);
  });

  it('says when it was confirmed, whole', () => {
    const confirmed = { status: 'confirmed', settledAt: at, confirmedAt: at } as const;
    const cancellationId = '0e96284f-7c8f-85e7-a3ff-b55486b9fec9';
    const text = certificateText(certificate([node('P', 0)], { ...confirmed, cancellationId }));
    expect(text).toContain(`cancellation ${cancellationId}\n`);
    expect(text).toContain(`confirmed, settled ${at}, confirmed ${at}\n`);
  });

  it('of a chain of a thousand levels still fits', () => {
    const chain = Array.from({ length: 1_000 }, (_, depth) =>
      node(`t${depth}`, depth, depth === 0 ? {} : { parentTaskId: `t${depth - 1}` }),
    );
    const text = certificateText(certificate(chain, { nextNodes: 't999' }));
    expect(text).toContain('(depth 999) t999');
    expect(text).toContain('more after t999');
  });

  it('names survivors on as many lines as fit, and counts the rest', () => {
    const survivors = Array.from({ length: 500 }, (_, index) => `survivor-${index}`);
    const lines = certificateText(certificate([node('P', 0)], { survivors }))
      .trimEnd()
      .split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
    const named = lines.flatMap((shown) => shown.match(/survivor-\d+/g) ?? []);
    expect(lines.at(-1)).toBe(`  … and ${500 - named.length} more`);
    expect(named).toEqual(survivors.slice(0, named.length));
  });

  it('says what is waited for, until when, and what went wrong', () => {
    const text = certificateText(
      certificate([
        node('P', 0, { outcome: 'waiting', dueAt: at, worker: 'notified' }),
        node('Q', 1, {
          parentTaskId: 'P',
          outcome: 'unreachable',
          attempts: 3,
          lastError: 'task-unreadable',
        }),
        node('R', 1, { parentTaskId: 'P', outcome: 'alreadyTerminal', by: 'c-0' }),
      ]),
    );
    expect(text).toContain(`P  waiting, worker notified, due ${at}`);
    expect(text).toContain('Q  unreachable, 3 attempts, task-unreadable');
    expect(text).toContain('R  alreadyTerminal by c-0');
  });
});

describe('a certificate as a chart', () => {
  it('has a box for each node and an arrow for each link, a dotted one where it came late', () => {
    const chart = certificateMermaid(family);
    expect(chart.split('\n').slice(0, 8)).toEqual([
      'flowchart TD',
      '  n0["P<br/>canceled<br/>worker unnotified"]:::canceled',
      '  n1["A<br/>canceled<br/>worker acknowledged #40;w#41;"]:::canceled',
      '  n2["A1<br/>canceled<br/>late"]:::canceled',
      '  n3["D<br/>abandoned<br/>abandon<br/>survivor"]:::abandoned',
      '  n0 -->|"cascade"| n1',
      '  n1 -.->|"cascade"| n2',
      '  n0 -->|"abandon"| n3',
    ]);
  });

  it('C45 lets no id break out of its box', () => {
    const chart = certificateMermaid(
      certificate([node('"]; click n0 "javascript:alert(1)" %% <b>#quot;', 0)]),
    );
    const escaped = '#34;#93;#59; click n0 #34;javascript:alert#40;1#41;#34; #37;#37; #60;b#62;#35;quot#59;';
    expect(chart.split('\n')[1]).toBe(`  n0["${escaped}<br/>canceled"]:::canceled`);
  });
});

describe('why, told', () => {
  const steps: readonly WhyStep[] = [
    { stream: 'ledger.task-A', revision: 4, type: 'TaskCanceled', at, principal: 'system', via: 'system' },
    {
      stream: 'ledger.cancellation-c',
      revision: 0,
      type: 'CancellationOpened',
      at,
      principal: 'alice',
      via: 'a2a-jsonrpc',
      reason: 'budget\nexceeded',
    },
  ];

  it('as text leads from the last state to the first request', () => {
    expect(whyText(steps)).toBe(
      [
        `TaskCanceled  ${at}  system via system`,
        '     ledger.task-A #4',
        `<- CancellationOpened  ${at}  alice via a2a-jsonrpc`,
        '     ledger.cancellation-c #0',
        '     reason: budget\uFFFDexceeded',
        '',
      ].join('\n'),
    );
    expect(whyText([])).toBe('');
  });

  it('as a chart leads from the first request to the last state', () => {
    const chart = whyMermaid(steps);
    expect(chart).toContain('  s1 --> s0');
    expect(chart.split('\n')[1]).toMatch(/^ {2}s0\["TaskCanceled<br\/>/);
  });
});
