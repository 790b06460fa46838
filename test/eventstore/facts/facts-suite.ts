import {
  askEmulator,
  askServer,
  differences,
  probeLimitMs,
  recordedAnswers,
  recordedVersion,
  versions,
  type Answers,
  type Route,
} from './answers.js';

const concurrentProbes = 2;

const realServer = process.env.LEDGER_TEST_EVENTSTORE;

const suiteOfEmulator = (routes: readonly Route[]): void => {
  const runs = versions.flatMap((version) => routes.map((route) => ({ version, route, title: route.name })));
  const asked = new Map<string, Promise<Answers>>();
  beforeAll(() => {
    let before: Promise<unknown>[] = [];
    for (const { version, route } of runs) {
      // A few at a time: most of the time they wait, but a busy machine has only so many hands.
      const free =
        before.length < concurrentProbes ? Promise.resolve() : before[before.length - concurrentProbes];
      const answers = Promise.resolve(free).then(() => askEmulator(version, route));
      asked.set(`${version} ${route.name}`, answers);
      // Each test looks at its own.
      before = [...before, answers.catch(() => undefined)];
    }
  });

  describe.each(runs)('an emulated $version through $title', ({ version, route }) => {
    it(
      'answers as the real one, but for what is listed with its reason',
      async () => {
        const answers = await asked.get(`${version} ${route.name}`);
        const recorded = await recordedAnswers(version, route);
        const listed = await differences(version, route);
        const overridden = Object.fromEntries(listed.map(({ question, emulator }) => [question, emulator]));
        expect(answers).toEqual({ ...recorded, ...overridden });
      },
      probeLimitMs,
    );

    it('lists nothing as different that is not', async () => {
      const recorded = await recordedAnswers(version, route);
      const listed = await differences(version, route);
      expect(listed.filter(({ question, emulator }) => recorded[question] === emulator)).toEqual([]);
      expect(listed.filter(({ question }) => recorded[question] === undefined)).toEqual([]);
    });
  });
};

const suiteOfServer = (url: string, routes: readonly Route[]): void => {
  // On a server that somebody used, the same answers come only where they do not depend on what is there.
  it.each(routes)(
    'the server answers through $name as its version was recorded',
    async (route) => {
      const version = await recordedVersion(url);
      if (version === undefined) return;
      expect(await askServer(url, route)).toEqual(await recordedAnswers(version, route));
    },
    probeLimitMs,
  );
};

/** Asks every question through these routes and compares with what real servers answered. */
export const factsSuite = (routes: readonly Route[]): void => {
  if (realServer === undefined) suiteOfEmulator(routes);
  else suiteOfServer(realServer, routes);
};
