package ai.molecule.cli.connect;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.sdk.InboundMessage;
import ai.molecule.sdk.MessageHandler;
import ai.molecule.sdk.RemoteAgentClient;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A public static method of the user's, {@code package.Class::method}, that takes an {@link InboundMessage} and, when it wants
 * it, a {@link RemoteAgentClient}, and returns the reply, a stage of it, or nothing. Its class is looked for on the given
 * class path.
 */
final class MethodHandler implements MessageHandler {

    private static final String SEPARATOR = "::";

    private final Method method;

    private MethodHandler(Method method) {
        this.method = method;
    }

    /** @throws LaunchFailure with exit code 1 and the reason */
    static MethodHandler find(String specification, List<Path> classPath) {
        String[] parts = specification.split(SEPARATOR, -1);
        if (parts.length != 2) {
            throw wrong("handler '" + specification + "' must be of the form package.Class::method or 'cmd: command'");
        }
        if (parts[0].isBlank() || parts[1].isBlank()) {
            throw wrong("handler '" + specification + "' is malformed: class or method is missing");
        }
        try {
            // Left open on purpose: the handler's own classes load from it for as long as the process lives.
            var loader = new URLClassLoader(urls(classPath), MethodHandler.class.getClassLoader());
            return new MethodHandler(methodOf(Class.forName(parts[0], true, loader), parts[1]));
        } catch (ClassNotFoundException | LinkageError e) {
            throw wrong("could not import " + parts[0] + " from " + classPath + ": " + e);
        }
    }

    @Override
    public @Nullable String handle(InboundMessage message, RemoteAgentClient client) throws Exception {
        try {
            Object said = method.getParameterCount() == 1
                    ? method.invoke(null, message)
                    : method.invoke(null, message, client);
            if (said instanceof CompletionStage<?> stage) {
                said = stage.toCompletableFuture().get();
            }
            return said instanceof Optional<?> optional ? (String) optional.orElse(null) : (String) said;
        } catch (InvocationTargetException | ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private static Method methodOf(Class<?> type, String name) {
        List<Method> named = Arrays.stream(type.getMethods())
                .filter(one -> one.getName().equals(name))
                .toList();
        if (named.isEmpty()) {
            throw wrong(type.getName() + " has no attribute " + name + " (a public method is needed)");
        }
        return named.stream()
                .filter(MethodHandler::isCallable)
                .findFirst()
                .orElseThrow(
                        () -> wrong(
                                type.getName() + SEPARATOR + name
                                        + " is not callable: it must be static and take an InboundMessage, and a RemoteAgentClient if it likes"));
    }

    private static boolean isCallable(Method method) {
        List<Class<?>> takes = List.of(method.getParameterTypes());
        return Modifier.isStatic(method.getModifiers())
                && (takes.equals(List.of(InboundMessage.class))
                        || takes.equals(List.of(InboundMessage.class, RemoteAgentClient.class)));
    }

    private static URL[] urls(List<Path> classPath) {
        return classPath.stream().map(MethodHandler::url).toArray(URL[]::new);
    }

    private static URL url(Path path) {
        try {
            return path.toAbsolutePath().toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException("every path is a URL", e);
        }
    }

    private static LaunchFailure wrong(String sentence) {
        return LaunchFailure.broken("error: " + sentence);
    }
}
