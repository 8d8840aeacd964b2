# syntax=docker/dockerfile:1
# Assay in a container: compiled in one stage, run without development packages by an unprivileged user in the other.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/cli/package.json ./packages/cli/
COPY packages/embedded-mongod/package.json ./packages/embedded-mongod/
COPY packages/json/package.json ./packages/json/
COPY packages/otlp-decisions/package.json ./packages/otlp-decisions/
COPY packages/patterns/package.json ./packages/patterns/
COPY packages/policy/package.json ./packages/policy/
COPY packages/saml/package.json ./packages/saml/
COPY packages/scim/package.json ./packages/scim/
COPY packages/scrub/package.json ./packages/scrub/
COPY packages/sdk-typescript/package.json ./packages/sdk-typescript/
COPY packages/tlog/package.json ./packages/tlog/
COPY packages/verifier/package.json ./packages/verifier/
COPY console/package.json ./console/
RUN npm ci
COPY tsconfig*.json ./
COPY src ./src
COPY scripts ./scripts
COPY console ./console
COPY packages ./packages
# The console is built into dist/console: its packages stay behind.
RUN npm run build && npm ci --omit=dev --workspaces=false

FROM node:24-bookworm-slim
ENV NODE_ENV=production ASSAY_HOST=0.0.0.0 PORT=3000 ASSAY_DATA_DIR=/app/data
WORKDIR /app
RUN install -d -o node -g node data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
VOLUME /app/data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=128", "dist/server.js"]
