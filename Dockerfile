# A node in a container: built in one stage, run in another as a user without rights, with its ledger on a volume.
#   docker build -t ofs-node . && docker run -v ofs-ledger:/ledger -p 7080:7080 -p 4001:4001 ofs-node
FROM node:20-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts && npm pack --pack-destination /packed
RUN npm install --prefix /installed --ignore-scripts --omit=dev --omit=peer /packed/*.tgz

FROM node:20-bookworm-slim
COPY --from=build /installed /opt/ofs-node
RUN mkdir /ledger && chown node:node /ledger && chmod 700 /ledger
USER node
VOLUME /ledger
EXPOSE 7080 4001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7081/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/ofs-node/node_modules/ofs-node/node/bin/ofs-node.mjs"]
CMD ["start", "--ledger", "/ledger"]
