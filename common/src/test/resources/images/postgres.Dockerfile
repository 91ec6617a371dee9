# Stands in for postgres:17-alpine where no registry can be reached: the embedded server's binaries, and as much of that image's
# manners as the tests and docker-compose.yml rely on.
ARG BASE
FROM ${BASE}
ADD postgres.txz /opt/postgres/
COPY postgres-entrypoint /entrypoint
RUN useradd --uid 70 --create-home postgres && mkdir -p /var/lib/postgresql/data && chown postgres /var/lib/postgresql/data
USER postgres
ENTRYPOINT ["bash", "/entrypoint"]
