import { Opened } from './opened.js';

const part = (name: string, closed: string[], error?: Error) => ({
  close: (): Promise<void> => {
    closed.push(name);
    return error === undefined ? Promise.resolve() : Promise.reject(error);
  },
});

describe('what was opened', () => {
  it('is closed once, the last one first', async () => {
    const closed: string[] = [];
    const opened = new Opened();
    opened.add(part('store', closed));
    opened.add(part('views', closed));
    await opened.close();
    await opened.close();
    expect(closed).toEqual(['views', 'store']);
  });

  it('is all closed where one close fails, and the failure is told', async () => {
    const closed: string[] = [];
    const opened = new Opened();
    opened.add(part('store', closed));
    opened.add(part('views', closed, new Error('disk gone')));
    await expect(opened.close()).rejects.toThrow('disk gone');
    expect(closed).toEqual(['views', 'store']);
  });
});
