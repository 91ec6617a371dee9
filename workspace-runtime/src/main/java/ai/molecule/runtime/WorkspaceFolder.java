package ai.molecule.runtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The folder an agent works in: a place for the chat's files, and a page that says who works there. Nothing here stops a start. */
final class WorkspaceFolder {

    private static final Logger LOGGER = LoggerFactory.getLogger(WorkspaceFolder.class);
    private static final String PAGE = "AGENTS.md";
    private static final Set<PosixFilePermission> TO_EVERYBODY = PosixFilePermissions.fromString("rwxrwxrwx");

    /** By this an own page is known: one that a person wrote is left alone. */
    private static final String OURS = "<!-- written at every start -->";

    private WorkspaceFolder() {}

    /** Makes the folder where there is none, and in it one for uploads, open to whoever may write in the agent's own: one that is lent is other people's as well. */
    static void prepare(Path folder) {
        Path uploads = folder.resolve(".molecule").resolve("chat-uploads");
        try {
            Files.createDirectories(folder);
            var rights = Files.getPosixFilePermissions(folder);
            if (!Files.isDirectory(uploads)) {
                Files.createDirectories(uploads);
                Files.setPosixFilePermissions(uploads, rights);
            } else if (Files.getPosixFilePermissions(uploads).equals(TO_EVERYBODY) && isOurs(uploads)) {
                Files.setPosixFilePermissions(uploads, rights); // as it was made before
            }
        } catch (IOException | UnsupportedOperationException e) {
            LOGGER.atWarn().addKeyValue("reason", e.toString()).log("no folder for uploads");
        }
    }

    private static boolean isOurs(Path uploads) throws IOException {
        return Files.getOwner(uploads, LinkOption.NOFOLLOW_LINKS).getName().equals(System.getProperty("user.name"));
    }

    /** Writes the page when it says something else now, unless there is one by somebody else. */
    static void describe(RuntimeConfig config, WorkspaceConfig workspace) {
        Path page = config.workspaceFolder().resolve(PAGE);
        try {
            String before = Files.exists(page) ? Files.readString(page) : OURS;
            String text = text(config, workspace);
            if (before.startsWith(OURS) && !before.equals(text)) {
                Files.write(page, text.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            LOGGER.atWarn().addKeyValue("reason", e.toString()).log("AGENTS.md not written");
        }
    }

    private static String text(RuntimeConfig config, WorkspaceConfig workspace) {
        int port = config.port().orElse(workspace.a2aPort());
        String endpoint = config.environment().getOrDefault("AGENT_URL", "http://localhost:" + port + "/a2a");
        String role = workspace.role().isEmpty() ? workspace.description() : workspace.role();
        return """
                %s
                # %s

                **Role:** %s

                %s

                ## A2A endpoint

                %s
                """.formatted(OURS, workspace.name(), role, workspace.description(), endpoint);
    }
}
