# Stands in for postgres:17-alpine where no registry can be reached: the embedded server's binaries, and as much of that image's
# manners as docker-compose.yml relies on.
ARG BASE
FROM ${BASE}
COPY postgres/ /opt/postgres/
COPY postgres-entrypoint /entrypoint
RUN useradd --uid 70 --create-home postgres && mkdir -p /var/lib/postgresql/data && chown postgres /var/lib/postgresql/data
USER postgres
ENTRYPOINT ["bash", "/entrypoint"]
