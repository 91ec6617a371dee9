package ai.molecule.common.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.config.Env;
import io.vertx.core.Vertx;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Without a collector nothing of OpenTelemetry is so much as loaded. */
class TracesSwitchedOffTest {

    /** What every service does around its work, as far as traces are concerned; run with classes of its own. */
    public static final class Service implements Runnable {

        @Override
        public void run() {
            var tracing = Tracing.begin(TracingConfig.fromEnv(new Env(Map.of())), "x");
            var vertx = tracing.over(Vertx.builder()).build();
            try {
                if (Tracing.of(vertx).current() != null) {
                    throw new IllegalStateException("traced");
                }
                vertx.eventBus().consumer("a", message -> message.reply("b"));
                vertx.eventBus().request("a", "a").await(60, TimeUnit.SECONDS);
            } catch (TimeoutException late) {
                throw new IllegalStateException(late);
            } finally {
                vertx.close().await();
                tracing.end(Duration.ZERO);
            }
        }
    }

    @Test
    void nothing_of_it_is_loaded() throws Exception {
        Queue<String> asked = new ConcurrentLinkedQueue<>();
        var thread = Thread.currentThread();
        var before = thread.getContextClassLoader();
        try (var loader = noting(asked)) {
            thread.setContextClassLoader(loader);
            var service = (Runnable) loader.loadClass(Service.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();
            service.run();
        } finally {
            thread.setContextClassLoader(before);
        }

        assertThat(asked).contains(Tracing.class.getName());
        assertThat(asked)
                .noneMatch(name ->
                        name.startsWith("io.opentelemetry.") || name.equals("ai.molecule.common.tracing.SpanTracer"));
    }

    /** Loads everything anew from the test's own class path. */
    private static URLClassLoader noting(Queue<String> asked) throws IOException {
        URL[] path = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(TracesSwitchedOffTest::url)
                .toArray(URL[]::new);
        return new URLClassLoader(path, ClassLoader.getPlatformClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                asked.add(name);
                return super.loadClass(name, resolve);
            }
        };
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException impossible) {
            throw new IllegalArgumentException(impossible);
        }
    }
}
