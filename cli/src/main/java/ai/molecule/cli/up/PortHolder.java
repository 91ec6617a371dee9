package ai.molecule.cli.up;

import ai.molecule.cli.LaunchFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Looks whether the front door's port is free and, where the system shows it under {@code /proc}, who has it if not. */
public final class PortHolder {

    /** State of a listening socket in {@code /proc/net/tcp}. */
    private static final String LISTENING = "0A";

    private PortHolder() {}

    /** @throws LaunchFailure naming the port's holder when it is taken */
    public static void requireFree(String bind, int port) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true); // connections of the last run may still be winding down
            socket.bind(new InetSocketAddress(InetAddress.getByName(bind), port));
        } catch (IOException e) {
            String taken = find(port)
                    .map(process -> "Port " + port + " is taken by process " + describe(process))
                    .orElse("Cannot listen on " + bind + " port " + port + " (" + e.getMessage() + ")");
            throw LaunchFailure.usersTurn(taken + "; stop it or choose another port with --port.");
        }
    }

    /** The process listening on the port; empty where the system does not say. */
    public static Optional<ProcessHandle> find(int port) {
        var sockets = new HashSet<String>();
        for (String table : new String[] {"/proc/net/tcp", "/proc/net/tcp6"}) {
            sockets.addAll(listeningSockets(Path.of(table), port));
        }
        if (sockets.isEmpty()) {
            return Optional.empty();
        }
        return ProcessHandle.allProcesses()
                .filter(process -> holdsOne(process, sockets))
                .findFirst();
    }

    /** Columns: slot, local address:port in hex, remote, state, …; the tenth is the socket's inode. */
    private static Set<String> listeningSockets(Path table, int port) {
        String suffix = ":%04X".formatted(port);
        var inodes = new HashSet<String>();
        try (var lines = Files.lines(table)) {
            lines.map(line -> line.strip().split("\\s+"))
                    .filter(columns ->
                            columns.length > 9 && columns[1].endsWith(suffix) && columns[3].equals(LISTENING))
                    .forEach(columns -> inodes.add("socket:[" + columns[9] + "]"));
        } catch (IOException e) {
            // no /proc on this system
        }
        return inodes;
    }

    private static boolean holdsOne(ProcessHandle process, Set<String> sockets) {
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
            for (Path descriptor : descriptors) {
                if (sockets.contains(target(descriptor))) {
                    return true;
                }
            }
        } catch (IOException e) {
            // another user's process, or gone by now
        }
        return false;
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // closed in between
        }
    }

    private static String describe(ProcessHandle process) {
        return process.pid()
                + process.info().command().map(command -> " (" + command + ")").orElse("");
    }
}
