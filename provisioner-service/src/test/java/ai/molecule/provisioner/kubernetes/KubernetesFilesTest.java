package ai.molecule.provisioner.kubernetes;

import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFilesContract;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The commands a pod would run, run by the shell of this machine on a folder for each volume. */
class KubernetesFilesTest extends WorkspaceFilesContract {

    @Override
    protected WorkspaceFiles files(Vertx vertx) {
        return new KubernetesFiles(vertx, this::run, 0);
    }

    @Override
    protected void asAgent(String script) throws Exception {
        var folder = folder(id, "/workspace");
        int exitCode = new ProcessBuilder("sh", "-ec", script)
                .directory(folder.toFile())
                .start()
                .waitFor();
        if (exitCode != 0) {
            throw new IOException("the agent's script failed: " + script);
        }
    }

    private int run(UUID workspaceId, String script, List<String> arguments, InputStream input, OutputStream output)
            throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        for (var argument : arguments) {
            command.add(argument.startsWith("/") ? folder(workspaceId, argument).toString() : argument);
        }
        var process = new ProcessBuilder(command).start();
        try (var stdin = process.getOutputStream()) {
            input.transferTo(stdin);
        } catch (IOException notRead) {
            // a script that refuses does not read
        }
        process.getInputStream().transferTo(output);
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private Path folder(UUID workspaceId, String root) throws IOException {
        return Files.createDirectories(temp.resolve("volumes/" + workspaceId + root));
    }
}
