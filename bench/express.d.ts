// The peer's framework, as far as the peer's code needs it.
declare module 'express';
