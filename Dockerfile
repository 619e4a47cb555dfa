FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY tools/node tools/node
RUN npm ci --ignore-scripts
COPY . .
RUN npm run -s prepare && npm run -s build

FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY tools/node tools/node
RUN npm ci --omit=dev --ignore-scripts

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /build/dist dist
COPY prisma/migrations prisma/migrations
COPY package.json LICENSE ./
# By number: Kubernetes cannot tell whether a name is root.
USER 1000:1000
EXPOSE 4000
# A worker does not listen: disable the check there.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["serve"]
