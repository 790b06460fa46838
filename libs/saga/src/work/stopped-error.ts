/** The runner stops: what was under way ends where it stands, and whoever runs next does it again from the streams. */
export class StoppedError extends Error {
  constructor() {
    super('the saga stops');
  }
}
