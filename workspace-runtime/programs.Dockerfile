# An agent's container with the program that its runtime starts: the runtime's own image, and beside it Node and one package of npm's,
# of the version in system-tests/programs/package-lock.json, which system tests run. What is in the package is under its own licence, which
# lies beside it; whoever builds the image takes it from the registry. Build it from system-tests/programs:
#   docker build -f workspace-runtime/programs.Dockerfile --build-arg PACKAGE=@openai/codex -t molecule/workspace-codex:0.1.0 system-tests/programs
ARG RUNTIME_IMAGE=molecule/workspace:0.1.0
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_IMAGE} AS programs
ARG PACKAGE
WORKDIR /opt/programs
COPY package.json package-lock.json ./
# No script of a package runs but the one that puts claude's program in place.
RUN npm ci --ignore-scripts --no-audit --no-fund \
  && for each in @anthropic-ai/claude-code @openai/codex @google/gemini-cli; do \
       [ "$each" = "$PACKAGE" ] || npm uninstall --ignore-scripts --no-audit --no-fund "$each"; done \
  && if [ -e node_modules/@anthropic-ai/claude-code/install.cjs ]; then node node_modules/@anthropic-ai/claude-code/install.cjs; fi

FROM ${RUNTIME_IMAGE}
COPY --from=programs /usr/local/bin/node /usr/local/bin/node
COPY --from=programs /opt/programs /opt/programs
ENV PATH=/opt/programs/node_modules/.bin:$PATH
