FROM node:24.19.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# Without scripts: `prepare` would compile, and the sources are not here yet.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json bundle.js ./
COPY src src
COPY projections projections
RUN npm run build
COPY README.md ARCHITECTURE.md CONTRIBUTING.md SECURITY.md CHANGELOG.md ./
COPY docs docs
# Whatever the umask was under which they were checked out: another user reads them.
RUN chmod -R a+rX package.json *.md docs

FROM node:24.19.0-bookworm-slim AS dependencies
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24.19.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/var/lib/ledger
# A volume that is mounted here for the first time takes over this owner.
RUN groupadd --gid 10001 ledger \
  && useradd --uid 10001 --gid ledger --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin ledger \
  && install --directory --owner=ledger --group=ledger --mode=0700 /var/lib/ledger /srv/files /srv/archive
WORKDIR /srv/ledger
COPY --from=dependencies /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY --from=build /build/package.json package.json
COPY --from=build /build/README.md /build/ARCHITECTURE.md /build/CONTRIBUTING.md /build/SECURITY.md /build/CHANGELOG.md ./
COPY --from=build /build/docs docs
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
# Of the process alone: who restarts what is unhealthy must not do so because a store is away.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/src/cli/tracker-ledger.js", "start"]
