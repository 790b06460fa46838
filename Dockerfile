# The ledger as an image: runs as an ordinary user on a root file system that may be read-only; what it keeps is in /data
# (embedded files, or SQLite's views and state) and /backups.

ARG NODE=node:22.20.0

# With a compiler: SQLite's binding is compiled here where no prebuilt one fits.
FROM ${NODE}-bookworm AS packages
WORKDIR /srv/ledger
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund

FROM packages AS build
COPY nest-cli.json tsconfig.base.json ./
COPY scripts ./scripts
COPY libs ./libs
COPY apps ./apps
RUN node scripts/build.mjs

FROM packages AS runtime-packages
RUN npm ci --omit=dev --no-audit --no-fund

FROM ${NODE}-bookworm-slim
ENV NODE_ENV=production \
    LEDGER_DATA_DIR=/data
WORKDIR /srv/ledger
COPY --from=runtime-packages /srv/ledger/node_modules ./node_modules
COPY --from=build /srv/ledger/dist ./dist
COPY package.json LICENSE ./
COPY deploy/healthcheck.mjs ./
# A new volume takes over its owner from the folder that it is laid on.
RUN install --directory --owner=node --group=node /data /backups
USER node
VOLUME ["/data", "/backups"]
EXPOSE 3000
# Whether the process lives. Whether it should be sent calls is /readyz, which the proxy asks: a ledger whose database is
# away is not ready, and must not be ended for it.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 CMD ["node", "healthcheck.mjs"]
CMD ["node", "dist/apps/ledger/src/main.js"]
