package ai.molecule.cli.up;

import ai.molecule.cli.Console;
import ai.molecule.cli.Desktop;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Shell;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.FolderLock;
import ai.molecule.cli.data.RunFile;
import ai.molecule.cli.data.RunningPlatforms;
import ai.molecule.cli.data.Secrets;
import ai.molecule.cli.demo.Demo;
import ai.molecule.cli.demo.DemoOrganisation;
import ai.molecule.cli.demo.FolderOrganisation;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.machine.ModelKeys;
import ai.molecule.cli.machine.SpendingLimits;
import ai.molecule.common.config.PlatformConfig;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Starts everything and stays until it is stopped. Standard output carries one line, {@code molecule ready: <url>}, when the
 * platform can be used; everything else is said on standard error.
 */
@Command(
        name = "up",
        description = "Start the platform in the foreground; Ctrl-C stops it.",
        footer = {
            "",
            "Agents run with the rights of this user (--backend process): start only agents you trust.",
            "MOLECULE_JAVA_OPTS, such as -Xmx1g, goes to the JVM of the services."
        })
public final class UpCommand implements Callable<Integer> {

    private static final String DOCTOR = "./molecule doctor looks at this machine and says what may stand in the way.";

    @Option(
            names = "--port",
            defaultValue = "8080",
            description = "Port of the gateway, 0 for any free port. Default: ${DEFAULT-VALUE}")
    private int port;

    @Option(names = "--data", paramLabel = "DIR", description = MoleculeHome.DATA_DEFAULT)
    private @Nullable Path folder;

    @Option(
            names = "--bind",
            defaultValue = "127.0.0.1",
            description = "Address that the gateway listens on. Default: ${DEFAULT-VALUE}")
    private String bind = "127.0.0.1";

    @Option(
            names = "--backend",
            defaultValue = "process",
            description = "Where agents run: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private UpOptions.Backend backend = UpOptions.Backend.PROCESS;

    @Option(
            names = "--demo",
            arity = "0..1",
            paramLabel = "WHICH",
            defaultValue = "club",
            fallbackValue = "club",
            description =
                    "Create a demo organization if there are no agents yet: ${COMPLETION-CANDIDATES}. Default: --demo club")
    private Demo demo = Demo.CLUB;

    @Option(
            names = "--folder",
            paramLabel = "DIR",
            description =
                    "Create three agents for your folder instead of the demo: they read it and write to molecule-out in it.")
    private @Nullable Path own;

    @Option(
            names = "--model",
            paramLabel = "MODEL",
            defaultValue = "",
            description =
                    "Model of the agents of --folder, such as openai:gpt-4o. Default: recorded, which needs no key")
    private String model = "";

    @Option(names = "--no-demo", description = "Create no demo organization.")
    private boolean noDemo;

    @Option(names = "--split", description = "Run each service as a process of its own.")
    private boolean split;

    @Option(names = "--open", description = "Open the console in a browser when the platform is ready.")
    private boolean open;

    @Option(
            names = "--env",
            defaultValue = "development",
            description = "Mode: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private UpOptions.Mode mode = UpOptions.Mode.DEVELOPMENT;

    @Option(
            names = "--trust-agents",
            description = "Allow production without root, although agents can then read the keys of the platform.")
    private boolean trustAgents;

    private final Console console;
    private final MoleculeHome home;

    /** In the data folder, once it was told what runs may cost. */
    private static final String SPENDING_TOLD = "spending-told";

    public UpCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public Integer call() throws Exception {
        var options = new UpOptions(port, home.dataFolder(folder), bind, backend, !noDemo, split, mode)
                .check(System.getenv());
        var folderTeam = folderTeam(options);
        if (folder != null) {
            console.repeat(" --data " + Shell.quoted(folder.toString()));
        }
        boolean existed = Files.exists(options.data());
        boolean isNew = DataFolder.at(options.data()).isNew();
        var data = DataFolder.open(options.data());
        Logs.into(data);
        var teardown = new Teardown();
        var supervision = Supervision.fromSystemProperties();
        supervision.endWithScript();
        Runtime.getRuntime().addShutdownHook(new Thread(teardown::close, "stop"));
        try {
            var running = new Launch(
                            options,
                            data,
                            environment(),
                            home.runtimeJar(),
                            home.dockerfile(),
                            console,
                            teardown,
                            supervision)
                    .start();
            if (supervision.again().isPresent()) {
                console.say("The platform runs again at " + running.url());
            } else {
                RunningPlatforms.remember(home, data);
                console.out("molecule ready: " + running.url());
                welcome(options, data, running, folderTeam);
            }
        } catch (IOException e) {
            giveUpUntilNextTry(supervision, teardown, e);
            teardown.close();
            console.say(DOCTOR);
            throw LaunchFailure.broken("Molecule could not start in " + data.root() + ": " + e.getMessage(), e);
        } catch (RuntimeException e) {
            giveUpUntilNextTry(supervision, teardown, e);
            teardown.close();
            if (!(e instanceof LaunchFailure known) || known.exitCode() == 1) {
                console.say(DOCTOR);
            } else if (isNew) {
                remove(data, existed); // refused: nothing is left of it
            }
            throw e;
        }
        new CountDownLatch(1).await(); // a signal ends this process, and the hook stops what runs
        return 0;
    }

    /** Where the script will try again, and nobody asked everything to stop: without stopping anything, because agents live on meanwhile. */
    private static void giveUpUntilNextTry(Supervision supervision, Teardown teardown, Exception failure) {
        if (supervision.again().isPresent() && !teardown.isClosed()) {
            LoggerFactory.getLogger(UpCommand.class) // not before Logs has said where
                    .atError()
                    .setCause(failure)
                    .log("the platform could not be started again");
            Runtime.getRuntime().halt(1);
        }
    }

    /** What a start made in a folder in which nothing was, unless it is another's by now. */
    private static void remove(DataFolder data, boolean existed) throws IOException {
        var lock = FolderLock.tryAcquire(data.lock());
        if (lock.isEmpty()) {
            return;
        }
        try (var _ = lock.get();
                var all = Files.walk(data.root())) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                if (!existed || !path.equals(data.root())) {
                    Files.deleteIfExists(path);
                }
            }
        }
    }

    private Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>(System.getenv());
        if (trustAgents) {
            environment.put("MOLECULE_TRUST_AGENTS", "1");
        }
        return environment;
    }

    private @Nullable FolderOrganisation folderTeam(UpOptions options) {
        if (own == null) {
            if (!model.isEmpty()) {
                throw LaunchFailure.usersTurn("--model is what the agents of --folder ask; name a folder, too.");
            }
            return null;
        }
        if (options.backend() != UpOptions.Backend.PROCESS) {
            throw LaunchFailure.usersTurn("--folder works with --backend process.");
        }
        return FolderOrganisation.in(own, model, "root".equals(System.getProperty("user.name")));
    }

    /** Nothing where there is an owner already, and nothing that a start fails for. */
    private void linkFirstOwner(DataFolder data, RunFile running) {
        try (var api = PlatformApi.of(running.url(), data, System.getenv())) {
            var made = api.call("POST", "/people/first-owner", new JsonObject());
            if (made.status() == 201) {
                console.say(
                        "nobody rules here by name yet; whoever opens this link within 24 hours becomes the owner, once:");
                console.say("  " + made.body().getString("link"));
            }
        } catch (IOException e) {
            console.say("no link for a first owner could be made: " + e.getMessage());
        }
    }

    /** What runs may cost, at the first start that finds a key of a model; in production at each while no day has a cap. */
    private void tellSpending(UpOptions options, DataFolder data, RunFile running) {
        Path told = data.root().resolve(SPENDING_TOLD);
        try (var api = PlatformApi.of(running.url(), data, System.getenv())) {
            var limits = SpendingLimits.of(api).orElse(null);
            if (limits == null) {
                return; // nobody here may ask
            }
            boolean first = !Files.exists(told) && !ModelKeys.found(api).isEmpty();
            boolean uncapped = options.mode() == UpOptions.Mode.PRODUCTION && limits.day() == null;
            if (first || uncapped) {
                console.say(limits.sentence() + " Change it: ./molecule budget --run-limit DOLLARS --day-cap DOLLARS");
            }
            if (first) {
                Files.writeString(told, "");
            }
        } catch (IOException | LaunchFailure e) {
            LoggerFactory.getLogger(UpCommand.class).atWarn().setCause(e).log("what runs may cost could not be asked");
        }
    }

    private void welcome(UpOptions options, DataFolder data, RunFile running, @Nullable FolderOrganisation folderTeam) {
        Path adminToken = data.secrets().resolve(Secrets.ADMIN_TOKEN_FILE);
        boolean people = "1".equals(System.getenv(PlatformConfig.ADMIN_TOKEN_OFF));
        if (options.mode() == UpOptions.Mode.PRODUCTION && !System.getenv().containsKey("ADMIN_TOKEN") && !people) {
            console.say("the ADMIN_TOKEN is in " + adminToken);
        }
        if (people) {
            console.say("the ADMIN_TOKEN opens nothing; who has a name signs in with it");
        } else if (options.mode() == UpOptions.Mode.PRODUCTION) {
            linkFirstOwner(data, running);
        }
        console.say("open " + running.url() + " to see and steer it");
        if (open) {
            Desktop.show(running.url(), console);
        }
        console.say("data and logs are in " + data.root() + "; Ctrl-C or ./molecule down stops everything");
        Thread.ofVirtual().name("spending").start(() -> tellSpending(options, data, running));
        if (folderTeam != null) {
            Thread.ofVirtual().name("folder").start(() -> {
                try (var api = PlatformApi.of(running.url(), data, System.getenv())) {
                    folderTeam.show(api, console);
                }
            });
        } else if (options.demo() && !people && options.backend() != UpOptions.Backend.NONE) {
            // The ready line is out; the demo must not hold up a signal or a script.
            Thread.ofVirtual().name("demo").start(() -> {
                try (var api = PlatformApi.of(running.url(), data, System.getenv())) {
                    new DemoOrganisation(api, running.url(), console, demo).show();
                }
            });
        }
    }
}
