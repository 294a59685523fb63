# docs/guides/container-image.md describes its contents and how to run and verify it.
# The only base image, used only for building. `npm run image:pin` adds or renews its digest.
ARG NODE_IMAGE=node:26-bookworm@sha256:2aaae6d91f99fee84cfc92da9b52c22a185752d247746052bbc3f961e44478c6

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
# The binding of SQLite is compiled here, with the headers of exactly this node. Nothing prebuilt is fetched.
ENV npm_config_build_from_source=true npm_config_nodedir=/usr/local
COPY package.json package-lock.json ./
RUN --mount=type=secret,id=npmrc NPM_CONFIG_USERCONFIG=/run/secrets/npmrc npm ci --omit=dev --no-audit --no-fund
COPY scripts/image-packages.mjs scripts/image-prune.mjs /tmp/
RUN node /tmp/image-prune.mjs /app

FROM ${NODE_IMAGE} AS program
WORKDIR /build
COPY package.json package-lock.json ./
RUN --mount=type=secret,id=npmrc NPM_CONFIG_USERCONFIG=/run/secrets/npmrc npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts/emit.mjs scripts/emit-writers.mjs scripts/start-bundle.mjs scripts/
COPY src src
COPY docs docs
COPY LICENSE package.json /app/
COPY config /app/config
COPY migrations /app/migrations
# Assistants read the pages of docs. The last stage has no `env` that could find node for a script. Threads of a garbage collector
# use more processor time than they save (docs/engineering/performance.md). Permissions of a checkout depend on its umask, so they
# are not copied.
RUN node scripts/emit.mjs --program \
 && mkdir /app/docs \
 && cp -r docs/*.md docs/start docs/guides docs/reference docs/engineering /app/docs/ \
 && mkdir -p /writers/bundle \
 && mv dist/bundle/writers /writers/bundle/ \
 && mv dist/fonts /writers/ \
 && mv dist /app/dist \
 && sed -i '1s|^#!.*|#!/usr/local/bin/node --single-threaded-gc|' /app/dist/main.js \
 && chmod -R u=rwX,go=rX /app /writers \
 && chmod 755 /app/dist/main.js

FROM dependencies AS system
# Debian's files are the libraries that node and the binding load; a scanner knows them by the entries in status.d.
RUN set -eux; \
    mkdir -p /system/etc/talent-sync /system/tmp /system/usr/local/bin /system/var/lib/dpkg/status.d; \
    chmod 1777 /system/tmp; \
    ldd /usr/local/bin/node node_modules/better-sqlite3/build/Release/better_sqlite3.node \
      | grep -o '/[^ ]*\.so[.0-9]*' | sort -u | xargs cp --dereference --parents --target-directory=/system; \
    for package in libc6 libgcc-s1 libstdc++6; do \
      dpkg-query --status "$package" > "/system/var/lib/dpkg/status.d/$package"; \
      cp --parents --target-directory=/system "/usr/share/doc/$package/copyright"; \
    done; \
    cp --dereference --parents --target-directory=/system \
      /etc/debian_version /etc/nsswitch.conf /etc/os-release /usr/local/bin/node /usr/local/LICENSE; \
    printf '%s\n' 'root:x:0:0::/:/sbin/nologin' 'talent-sync:x:10001:10001::/var/lib/talent-sync:/sbin/nologin' \
      > /system/etc/passwd; \
    printf '%s\n' 'root:x:0:' 'talent-sync:x:10001:' > /system/etc/group; \
    ln -s /app/dist/main.js /system/usr/local/bin/talent-sync; \
    install -d -m 750 -o 10001 -g 10001 /volumes/talent-sync

# The common part of both images.
FROM scratch AS common
COPY --from=system /system/ /
COPY --from=system --chown=10001:10001 /volumes/ /var/lib/
COPY --from=dependencies /app/node_modules /app/node_modules
COPY --from=program /app /app
# SQLite's temporary files go to the volume: the root is read-only, and a /tmp in memory would count against the memory limit.
# Each file on a mount that no longer answers blocks a thread of Node's pool. The default of four would soon block all tenants.
ENV PATH=/usr/local/bin \
    LANG=C.UTF-8 \
    NODE_ENV=production \
    UV_THREADPOOL_SIZE=64 \
    SQLITE_TMPDIR=/var/lib/talent-sync
# No VOLUME: an anonymous one would lose the state silently; a forgotten mount must fail on the read-only root.
WORKDIR /var/lib/talent-sync
# A number, so that Kubernetes can check runAsNonRoot.
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
ARG VERSION=0.2.0
ARG REVISION=unknown
ARG CREATED=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="talent-sync" \
      org.opencontainers.image.description="Keeps a talent service equal to what HR, the identity provider and the CRM say." \
      org.opencontainers.image.vendor="talent-sync" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.source="${SOURCE}"

# `docker build --target sandbox`: the talent service itself, for the tests of integrations (docs/reference/sandbox.md).
FROM common AS sandbox
# Only the service renders documents, so the worker has no libraries and fonts for them.
COPY --from=program /writers /app/dist
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/__sandbox/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["talent-sync", "sandbox", "--host", "0.0.0.0", "--port", "8080"]
LABEL org.opencontainers.image.title="talent-sync sandbox" \
      org.opencontainers.image.description="A talent service in one process, to test integrations against."

# The last stage is the one that a build without a target creates.
FROM common AS worker
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["talent-sync"]
CMD ["daemon", "--config", "/etc/talent-sync", "--host", "0.0.0.0", "--port", "8080"]
