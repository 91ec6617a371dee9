package ai.molecule.system;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a class a platform in one JVM that it shares with others, because they ask for nothing that another's workspaces would change.
 * One for all classes that run in the same JVM after each other; after each of them its workspaces are deleted.
 */
final class SharedPlatform implements ParameterResolver, AfterAllCallback {

    private static final Namespace OURS = Namespace.create(SharedPlatform.class);

    private record Shared(Path folder, Platform platform) implements AutoCloseable {

        static Shared start() {
            try {
                Path folder = Files.createTempDirectory("molecule-shared");
                return new Shared(folder, Platform.up(folder.resolve("data"), "--no-demo"));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public void close() throws IOException {
            platform.close();
            try (var files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(file -> file.toFile().delete());
            }
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Platform.class;
    }

    @Override
    public Platform resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return platform(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        var platform = platform(context);
        for (var workspace : platform.get("/workspaces")) {
            if (workspace.path("parent_id").isNull()) { // those below go with it
                platform.delete("/workspaces/" + workspace.path("id").asText() + "?confirm=true");
            }
        }
        await().until(() -> platform.agentProcesses().findAny().isEmpty());
    }

    private static Platform platform(ExtensionContext context) {
        return context.getStore(StoreScope.LAUNCHER_SESSION, OURS)
                .getOrComputeIfAbsent(Shared.class, first -> Shared.start(), Shared.class)
                .platform;
    }
}
