package ai.molecule.cli.dev;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.Shell;
import ai.molecule.runtime.LocalAgent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** An author's talk with the agent of a folder, which needs no platform. */
@Command(
        name = "dev",
        description =
                "Talk to the agent of a folder without a platform; it reloads when you save, and each step shows its cost.",
        footer = {
            "",
            "A model is asked at its provider with that one's key (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY …), or at OPENAI_BASE_URL",
            "with OPENAI_API_KEY. Tools of the platform answer that it is not there.",
            "/new begins a new conversation, /quit or the end of the input ends.",
            "Exit codes: 0 done, 1 the last message failed, 2 something for you to change."
        })
public final class DevCommand implements Callable<Integer> {

    @Parameters(paramLabel = "FOLDER", description = "Folder with config.yaml.")
    private Path folder = Path.of("");

    @Option(
            names = "--work",
            paramLabel = "DIR",
            description = "Working folder. Default: <folder>-work beside the folder")
    private @Nullable Path work;

    private final Map<String, String> environment;
    private final InputStream in;
    private final PrintStream out;

    public DevCommand(Map<String, String> environment, InputStream in, PrintStream out) {
        this.environment = environment;
        this.in = in;
        this.out = out;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!Files.isRegularFile(folder.resolve("config.yaml"))) {
            throw LaunchFailure.usersTurn(folder + " has no config.yaml; ./molecule adapter new "
                    + Shell.quoted(folder.toString()) + " makes one to begin from.");
        }
        Path works = Files.createDirectories(work == null ? LocalAgent.workBeside(folder) : work);
        var lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        boolean well = true;
        try (var chat = new Chat(folder, works, environment, out)) {
            chat.begin();
            for (String line = next(chat, lines); line != null; line = next(chat, lines)) {
                switch (line.strip()) {
                    case "" -> {}
                    case "/quit" -> {
                        return 0;
                    }
                    case "/new" -> chat.startAnew();
                    default -> well = chat.say(line);
                }
            }
        }
        return well ? 0 : 1;
    }

    private static @Nullable String next(Chat chat, BufferedReader lines) throws IOException {
        chat.invite();
        return lines.readLine();
    }
}
