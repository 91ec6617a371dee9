package ai.molecule.proxy.frontdoor.previews;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/** {@link WebServerMain} as a process of a workspace. */
record WebServer(Process process, int port) implements AutoCloseable {

    static WebServer of(UUID workspaceId) throws IOException {
        var builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        WebServerMain.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("WORKSPACE_ID", workspaceId.toString());
        var process = builder.start();
        String port = process.inputReader().readLine();
        if (port == null) {
            throw new IOException("the web server did not start");
        }
        return new WebServer(process, Integer.parseInt(port));
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
