# Stands in for redis:7-alpine where no registry can be reached: the embedded server, and the libraries it is linked with.
ARG BASE
FROM ${BASE}
COPY lib/ /opt/redis/
COPY redis-server /usr/local/bin/redis-server
RUN chmod -R a+rX /opt/redis && chmod a+rx /usr/local/bin/redis-server
ENV LD_LIBRARY_PATH=/opt/redis
USER 10001:10001
WORKDIR /tmp
