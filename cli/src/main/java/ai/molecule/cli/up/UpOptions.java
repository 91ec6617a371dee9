package ai.molecule.cli.up;

import ai.molecule.cli.LaunchFailure;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/**
 * What the user asked {@code up} for.
 *
 * @param port the front door's; 0 for any free one
 * @param bind the front door's address; everything else listens on loopback
 * @param demo whether to make the example organisation when there is no workspace yet
 * @param split whether each service is a process of its own
 */
record UpOptions(int port, Path data, String bind, Backend backend, boolean demo, boolean split, Mode mode) {

    /** What agents run in. */
    enum Backend {
        PROCESS,
        DOCKER,
        NONE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** {@code MOLECULE_ENV}. */
    enum Mode {
        DEVELOPMENT,
        PRODUCTION;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Refuses what cannot work, before anything is started.
     *
     * @param environment the launcher's own; only ADMIN_TOKEN is looked at
     */
    UpOptions check(Map<String, String> environment) {
        if (port < 0 || port > 65535) {
            throw LaunchFailure.usersTurn("--port " + port + " is not a port; give a number from 0 to 65535.");
        }
        requireAgentsRun(backend, System.getProperty("os.name", ""));
        boolean adminToken = mode == Mode.PRODUCTION
                || !environment.getOrDefault("ADMIN_TOKEN", "").isBlank();
        if (!address().isLoopbackAddress() && !adminToken) {
            throw LaunchFailure.usersTurn("Without an ADMIN_TOKEN everybody who reaches " + bind
                    + " could do everything; set ADMIN_TOKEN, use --env production, or bind to 127.0.0.1.");
        }
        return this;
    }

    /** What holds an agent's folder and processes is Linux's alone. */
    static void requireAgentsRun(Backend backend, String system) {
        if (backend == Backend.PROCESS && !system.startsWith("Linux")) {
            throw LaunchFailure.usersTurn(
                    "Agents as processes need Linux, and this is %s; start with --backend docker, or with --backend none where all agents come from elsewhere."
                            .formatted(system));
        }
    }

    boolean listensOnLoopback() {
        return address().isLoopbackAddress();
    }

    private InetAddress address() {
        try {
            return InetAddress.getByName(bind);
        } catch (UnknownHostException e) {
            throw LaunchFailure.usersTurn("--bind " + bind + " is not an address of this machine; try 127.0.0.1.");
        }
    }

    /** Where this machine reaches the front door when it listens on {@code actualPort}. */
    String url(int actualPort) {
        var address = address();
        String host = address.isAnyLocalAddress() || bind.equals("localhost") ? "127.0.0.1" : bind;
        return "http://%s:%d".formatted(host.contains(":") ? "[" + host + "]" : host, actualPort);
    }

    UpOptions withPort(int actualPort) {
        return new UpOptions(actualPort, data, bind, backend, demo, split, mode);
    }
}
