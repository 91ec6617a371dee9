package ai.molecule.cli.steer;

import ai.molecule.cli.Columns;
import ai.molecule.cli.Console;
import ai.molecule.cli.HiddenInput;
import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.data.WholeFile;
import ai.molecule.cli.http.Named;
import ai.molecule.cli.http.PlatformApi;
import ai.molecule.cli.http.PlatformCommand;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The folders of an agent, by the paths that it knows them by: /configs, /workspace, /home and /plugins. */
final class FileCommands {

    private static final Duration WRITING = Duration.ofSeconds(60);

    private FileCommands() {}

    static CommandLine group(Console console, MoleculeHome home) {
        var spec = CommandSpec.create().name("files");
        spec.usageMessage()
                .description(
                        "Lists, reads, writes and removes an agent's files: /configs, /workspace, /home, /plugins.");
        return new CommandLine(spec)
                .addSubcommand(new FileListing(console, home))
                .addSubcommand(new FileReading(console, home))
                .addSubcommand(new FileWriting(console, home))
                .addSubcommand(new FileRemoval(console, home));
    }

    /** @param inside empty for the root itself */
    private record Place(String root, String inside) {

        private static final List<String> ROOTS = List.of("/configs", "/workspace", "/home", "/plugins");

        static Place of(String path) {
            String root = ROOTS.stream()
                    .filter(one -> path.equals(one) || path.startsWith(one + "/"))
                    .findFirst()
                    .orElseThrow(() -> LaunchFailure.usersTurn(
                            "%s is in none of an agent's folders: %s.".formatted(path, String.join(", ", ROOTS))));
            return new Place(root, path.substring(root.length()).replaceAll("^/+|/+$", ""));
        }

        String path(String id) {
            String segments = Arrays.stream(inside.split("/", -1))
                    .map(PlatformApi::segment)
                    .collect(Collectors.joining("/"));
            return "/workspaces/%s/files/%s?root=%s".formatted(id, segments, PlatformApi.encoded(root));
        }
    }

    private abstract static class FilesOfAgent extends PlatformCommand {

        @Parameters(index = "0", paramLabel = "NAME|ID", description = "The agent")
        String agent = "";

        FilesOfAgent(Console console, MoleculeHome home) {
            super(console, home);
        }
    }

    @Command(name = "ls", description = "List a folder of an agent.")
    private static final class FileListing extends FilesOfAgent {

        @Parameters(index = "1", arity = "0..1", paramLabel = "FOLDER", description = "Default: ${DEFAULT-VALUE}")
        private String path = "/workspace";

        @Option(
                names = "--depth",
                paramLabel = "1..5",
                description = "Levels of folders to list. Default: ${DEFAULT-VALUE}")
        private int depth = 1;

        FileListing(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            var place = Place.of(path);
            String asked = "/workspaces/%s/files?root=%s&path=%s&depth=%d"
                    .formatted(
                            Named.idOf(api, agent),
                            PlatformApi.encoded(place.root()),
                            PlatformApi.encoded(place.inside()),
                            depth);
            JsonArray files;
            try (var body = api.download(asked, path + " of " + agent + " was not listed")) {
                files = new JsonArray(new String(body.readAllBytes(), StandardCharsets.UTF_8));
            }
            if (json) {
                console.out(files.encode());
                return 0;
            }
            if (files.isEmpty()) {
                console.say("There is nothing in " + path + " of " + agent + ".");
                return 0;
            }
            var rows = new Columns("BYTES", "FILE");
            for (Object each : files) {
                var file = (JsonObject) each;
                boolean folder = file.getBoolean("dir", false);
                rows.row(folder ? "-" : file.getLong("size", 0L), file.getString("path", "") + (folder ? "/" : ""));
            }
            rows.print(console);
            return 0;
        }
    }

    @Command(name = "get", description = "Print or save a file of an agent.")
    private static final class FileReading extends FilesOfAgent {

        @Parameters(index = "1", paramLabel = "PATH", description = "Such as /workspace/report.md")
        private String path = "";

        @Parameters(
                index = "2",
                arity = "0..1",
                paramLabel = "FILE",
                description = "File to save to. Default: standard output")
        private @Nullable Path file;

        FileReading(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            Place.of(path);
            String asked =
                    "/workspaces/%s/chat/download?path=%s".formatted(Named.idOf(api, agent), PlatformApi.encoded(path));
            try (var content = api.download(asked, path + " of " + agent + " was not read")) {
                if (file != null) {
                    long bytes = WholeFile.save(content, file);
                    return tell(
                            new JsonObject().put("file", file.toString()).put("bytes", bytes),
                            "%d bytes are in %s.".formatted(bytes, file));
                }
                print(content);
            }
            return 0;
        }

        /** A terminal is commanded by no byte of it; a pipe gets them all. */
        private void print(InputStream content) throws IOException {
            if (HiddenInput.atTerminal()) {
                new String(content.readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .forEach(console::out);
            } else {
                console.copy(content);
            }
        }
    }

    @Command(name = "put", description = "Upload a text file of at most 5 MiB to an agent.")
    private static final class FileWriting extends FilesOfAgent {

        @Parameters(index = "1", paramLabel = "FILE", description = "Local file to upload")
        private Path file = Path.of("");

        @Parameters(
                index = "2",
                paramLabel = "PATH",
                description = "Target path, such as /configs/notes.md; an existing file is replaced")
        private String path = "";

        FileWriting(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            var place = Place.of(path.endsWith("/") ? path + file.getFileName() : path);
            var answer = api.call(
                    "PUT", place.path(Named.idOf(api, agent)), new JsonObject().put("content", text()), WRITING);
            return tell(
                    Named.done("%s of %s was not written".formatted(path, agent), answer),
                    "%s of %s is written.".formatted(path, agent));
        }

        private String text() throws IOException {
            try {
                return Files.readString(file);
            } catch (CharacterCodingException binary) {
                throw LaunchFailure.usersTurn(file + " is not a text; only texts can be written this way.");
            } catch (NoSuchFileException none) {
                throw LaunchFailure.usersTurn("There is no " + file + ".");
            } catch (IOException unreadable) {
                throw LaunchFailure.usersTurn("Cannot read " + file + ": " + unreadable.getMessage());
            }
        }
    }

    @Command(name = "rm", description = "Delete a file or folder of an agent.")
    private static final class FileRemoval extends FilesOfAgent {

        @Parameters(index = "1", paramLabel = "PATH", description = "Such as /workspace/drafts")
        private String path = "";

        FileRemoval(Console console, MoleculeHome home) {
            super(console, home);
        }

        @Override
        protected int steer(PlatformApi api) throws IOException {
            String one = Place.of(path).path(Named.idOf(api, agent));
            return tell(
                    Named.done("%s of %s stays".formatted(path, agent), api.call("DELETE", one)),
                    "%s of %s is removed.".formatted(path, agent));
        }
    }
}
