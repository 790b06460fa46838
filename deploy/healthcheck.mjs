// Exit code 0: the ledger of this container answers. For `HEALTHCHECK`, where no curl is.
const port = process.env.LEDGER_PORT || '3000';
const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2_000) }).catch(
  () => undefined,
);
process.exit(answer?.ok === true ? 0 : 1);
