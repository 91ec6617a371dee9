package ai.molecule.cli.doors;

import ai.molecule.cli.Console;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Shell;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformOptions;
import ai.molecule.common.audit.AuditChainCheck;
import ai.molecule.common.audit.AuditChainCheck.KnownHead;
import ai.molecule.common.audit.AuditChainCheck.Outcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The record of who did what: taken out of the platform, and checked with or without it; alone it explains itself. */
@Command(name = "audit", description = "Export and verify the audit log.")
public final class AuditCommand implements Runnable {

    private static final String PATH = "/audit";
    private static final String LINES = "application/jsonl";
    private static final Pattern HEAD = Pattern.compile("([1-9][0-9]{0,17}):([0-9a-f]{64})");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final Console console;
    private final MoleculeHome home;

    public AuditCommand(Console console, MoleculeHome home) {
        this.console = console;
        this.home = home;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing required subcommand");
    }

    @Command(name = "export", description = "Export the audit log to a file, one line per entry.")
    int export(@Mixin PlatformOptions platform, @Parameters(paramLabel = "FILE") Path file) {
        return platform.ask(home, System.getenv(), api -> {
            try (var record = api.read(PATH, LINES)) {
                Files.copy(record, file);
            }
            console.say("The record is in %s; ./molecule audit verify %s checks it."
                    .formatted(file, Shell.quoted(file.toString())));
            return 0;
        });
    }

    @Command(
            name = "verify",
            description = "Verify that no entry of an exported audit log was changed, removed or reordered.",
            footer = {"", "Exit codes: 0 every row is as it was recorded, 1 one is not, 2 something for you to change."
            })
    int verify(
            @Mixin PlatformOptions platform,
            @Parameters(paramLabel = "FILE", arity = "0..1", description = "As export wrote it") @Nullable Path file,
            @Option(
                            names = "--head",
                            paramLabel = "SEQ:HASH",
                            description =
                                    "An end of the chain that you know of, such as the log told one: a record that was linked anew lacks it")
                    @Nullable
                    String head,
            @Option(
                            names = "--keys",
                            paramLabel = "FILE",
                            description =
                                    "The platform's keys, as molecule keys export wrote them once: then its signatures are checked too")
                    @Nullable
                    Path keys) {
        var known = head == null ? null : knownHead(head);
        var signatures = keys == null ? null : new HeadSignatures(HeadSignatures.keysIn(keys));
        if (file == null) {
            return platform.ask(home, System.getenv(), api -> tell(ofPlatform(api, known, signatures)));
        }
        try (var lines = Files.newBufferedReader(file)) {
            return tell(AuditChainCheck.of(lines, known, signatures));
        } catch (IOException e) {
            throw LaunchFailure.usersTurn(file + " cannot be read: " + e.getMessage());
        }
    }

    private static Outcome ofPlatform(PlatformApi api, @Nullable KnownHead known, @Nullable HeadSignatures signatures)
            throws IOException {
        try (var lines = new BufferedReader(new InputStreamReader(api.read(PATH, LINES), StandardCharsets.UTF_8))) {
            return AuditChainCheck.of(lines, known, signatures);
        }
    }

    private int tell(Outcome outcome) {
        console.out(outcome.says());
        if (outcome.waiting() > 0) {
            console.say("%d more had yet to be linked, of which nothing can be said.".formatted(outcome.waiting()));
        }
        if (outcome.signed().last() > 0) {
            console.say("The platform's key signed it up to row %d."
                    .formatted(outcome.signed().last()));
        } else if (outcome.isWhole() && outcome.signed().heads() > 0) {
            console.say("%d ends of it are signed; --keys checks the signatures."
                    .formatted(outcome.signed().heads()));
        }
        return outcome.isWhole() ? 0 : 1;
    }

    private static KnownHead knownHead(String text) {
        var head = HEAD.matcher(text);
        if (!head.matches()) {
            throw LaunchFailure.usersTurn("--head " + text + " is no position and hash, as 120:5f…; the log has them.");
        }
        return new KnownHead(Long.parseLong(head.group(1)), head.group(2));
    }
}
