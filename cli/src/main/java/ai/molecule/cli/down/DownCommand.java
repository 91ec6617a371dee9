package ai.molecule.cli.down;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.FolderLock;
import ai.molecule.cli.data.RunningPlatforms;
import ai.molecule.cli.process.Watchdog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Stops the platform of a data folder, and waits until it is gone, whoever is stopping it. */
@Command(name = "down", description = "Stop the platform and wait until it has ended.")
public final class DownCommand implements Callable<Integer> {

    /** The launcher promises 10 s. */
    private static final Duration PATIENCE = Duration.ofSeconds(11);

    private static final Duration PAUSE = Duration.ofMillis(50);

    @Option(names = "--data", paramLabel = "DIR", description = MoleculeHome.DATA_DEFAULT)
    private @Nullable Path folder;

    private final Console console;
    private final MoleculeHome home;

    public DownCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public Integer call() throws IOException {
        var data = RunningPlatforms.meant(home, folder);
        var supervisor = data.launcher().living(); // also between two JVMs, when nobody holds the lock
        if (supervisor.isEmpty() && !FolderLock.isHeld(data.lock())) {
            Watchdog.awaitEarlier(data); // a killed launcher's processes may still be ending
            console.say("Molecule is not running in " + data.root());
            return 0;
        }
        var launcher = supervisor
                .or(() -> FolderLock.holder(data.lock()).stream()
                        .boxed()
                        .findFirst()
                        .flatMap(ProcessHandle::of))
                .orElseThrow(() -> LaunchFailure.broken("Molecule runs in " + data.root()
                        + " but its process is not known; stop the process that holds " + data.lock() + "."));
        launcher.destroy();
        if (!released(data, supervisor)) {
            console.say("it does not stop by itself and is killed");
            launcher.destroyForcibly();
            released(data, supervisor);
        }
        Watchdog.awaitEarlier(data);
        console.say("Molecule is stopped");
        return 0;
    }

    /** The lock is released last, after every other process is gone. */
    private static boolean released(DataFolder data, Optional<ProcessHandle> supervisor) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (FolderLock.isHeld(data.lock())
                || supervisor.filter(ProcessHandle::isAlive).isPresent()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
        return true;
    }
}
