package ai.molecule.cli.embedded;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * The folder of a database cluster before a server runs on it.
 *
 * @param as the user who owns it and runs the server
 */
record PostgresCluster(Path installation, Path folder, Unprivileged as) {

    private static final Pattern MAJOR = Pattern.compile("\\) (\\d+)");
    private static final int INITDB_TIMEOUT_SECONDS = 120;

    /** Refuses a folder that another major version wrote: PostgreSQL cannot read it, and converting it is the user's decision. */
    void requireSameMajor() throws IOException {
        Path version = folder.resolve("PG_VERSION");
        if (!Files.exists(version)) {
            return;
        }
        String found = Files.readString(version).strip();
        String ours = major();
        if (!found.equals(ours)) {
            throw LaunchFailure.usersTurn("The data folder " + folder + " was written by PostgreSQL " + found
                    + " and this Molecule brings PostgreSQL " + ours
                    + "; choose another folder with --data, or move the data with"
                    + " PostgreSQL's own tools (pg_dump from the old version).");
        }
    }

    private String major() throws IOException {
        var process = new ProcessBuilder(installation.resolve("bin/postgres").toString(), "--version")
                .redirectErrorStream(true)
                .start();
        String version = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        var matcher = MAJOR.matcher(version);
        if (!matcher.find()) {
            throw LaunchFailure.usersTurn("PostgreSQL's program does not run on this system (" + version
                    + "); set DATABASE_URL to a PostgreSQL of yours.");
        }
        return matcher.group(1);
    }

    /** Makes the cluster when there is none. It appears under its name only when complete, so an interrupted start is harmless. */
    void initialiseIfNew(String password, Path log) throws IOException {
        Path data = folder.resolveSibling(".").normalize();
        as.makeReachable(data, installation.resolve("bin/postgres"));
        if (Files.exists(folder.resolve("PG_VERSION"))) {
            as.own(folder);
            return;
        }
        Path fresh = folder.resolveSibling(folder.getFileName() + ".new");
        Path passwordFile = folder.resolveSibling(folder.getFileName() + ".password");
        ServerBinaries.deleteTree(fresh);
        PrivateFiles.createFolder(fresh);
        as.own(fresh);
        PrivateFiles.write(passwordFile, password + "\n");
        as.own(passwordFile);
        try {
            initialise(fresh, passwordFile, log);
        } finally {
            Files.deleteIfExists(passwordFile);
        }
        Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
    }

    private void initialise(Path fresh, Path passwordFile, Path log) throws IOException {
        var command = new ArrayList<>(as.prefix());
        command.addAll(List.of(
                installation.resolve("bin/initdb").toString(),
                "--pgdata=" + fresh,
                "--username=" + PostgresServer.SUPERUSER,
                "--auth=scram-sha-256",
                // Rounds make guessing expensive: nobody guesses a random password, and each connection pays for them.
                "--set=scram_iterations=1",
                "--pwfile=" + passwordFile,
                "--encoding=UTF8",
                // The built-in locale sorts the same on every system.
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--locale=C"));
        var process = new ProcessBuilder(command)
                .directory(fresh.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        try {
            if (!process.waitFor(INITDB_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw LaunchFailure.broken(
                        "PostgreSQL could not initialise its folder within " + INITDB_TIMEOUT_SECONDS + " s.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            throw LaunchFailure.broken("Interrupted while PostgreSQL initialised its folder.");
        }
        if (process.exitValue() != 0) {
            throw LaunchFailure.broken("PostgreSQL could not initialise its folder; it says:" + LogTail.below(log, 5));
        }
    }
}
