package ai.molecule.cli.embedded;

/** A server of our own on loopback. Closing stops it. */
public sealed interface EmbeddedServer extends AutoCloseable permits PostgresServer, RedisServer {

    int port();

    ProcessHandle process();

    default long pid() {
        return process().pid();
    }

    /** As the services are given it; carries the password. */
    String url();

    @Override
    void close();
}
