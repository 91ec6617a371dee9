package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The README's example is the code of the README: it is taken out, compiled and run. */
@Timeout(120)
class ReadmeTest {

    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    private final String homeBefore = System.getProperty("user.home");

    @TempDir
    private Path temp;

    @BeforeEach
    void moveHome() {
        System.setProperty("user.home", temp.toString());
    }

    @AfterEach
    void moveBack() {
        System.setProperty("user.home", homeBefore);
    }

    @Test
    void the_example_compiles_joins_and_answers() throws Exception {
        var readme = EXAMPLE.matcher(Files.readString(Path.of("README.md")));
        assertThat(readme.find()).isTrue();
        Path source = Files.writeString(temp.resolve("Scribe.java"), readme.group(1));
        int compiled = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-cp", System.getProperty("java.class.path"), source.toString());
        assertThat(compiled).isZero();

        try (var platform = new FakePlatform();
                var loader = new URLClassLoader(
                        List.of(temp.toUri().toURL()).toArray(URL[]::new),
                        getClass().getClassLoader())) {
            var main = loader.loadClass("Scribe").getMethod("main", String[].class);
            var ended = CompletableFuture.runAsync(() -> {
                try {
                    main.invoke(null, (Object) new String[] {platform.url(), "me"});
                } catch (ReflectiveOperationException e) {
                    throw new AssertionError(e);
                }
            });
            platform.deliver("1", "", "hello");
            await().until(() -> platform.replies().contains("user: You wrote: hello"));

            platform.becomes("paused");

            ended.get(60, TimeUnit.SECONDS);
            assertThat(temp.resolve(".molecule/me/.auth_token")).hasContent(FakePlatform.TOKEN);
        }
    }
}
