package ai.molecule.canvas;

import static org.awaitility.Awaitility.await;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.ElementClickInterceptedException;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WrapsElement;

/**
 * What a person looks at stays the same to them when the page draws it anew: an element that was drawn anew, or is covered for a moment, is
 * looked for again, and what was asked of it is asked again. Neither of the two refusals has done anything by then.
 */
final class Lasting {

    private final Supplier<WebElement> search;
    private final Duration patience;
    private final AtomicReference<WebElement> found;

    private Lasting(Supplier<WebElement> search, Duration patience) {
        this.search = search;
        this.patience = patience;
        this.found = new AtomicReference<>(search.get());
    }

    static WebElement element(Supplier<WebElement> search, Duration patience) {
        var lasting = new Lasting(search, patience);
        return (WebElement) Proxy.newProxyInstance(
                WebElement.class.getClassLoader(),
                new Class<?>[] {WebElement.class, WrapsElement.class},
                (proxy, method, arguments) -> lasting.ask(method, arguments));
    }

    private @Nullable Object ask(Method method, Object[] arguments) {
        if (method.getDeclaringClass() == WrapsElement.class) {
            return found.get();
        }
        var answer = new AtomicReference<@Nullable Object>();
        await("it is drawn anew again and again: " + method.getName())
                .atMost(patience)
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> answered(method, arguments, answer));
        return answer.get();
    }

    private boolean answered(Method method, Object[] arguments, AtomicReference<@Nullable Object> answer)
            throws Exception {
        try {
            answer.set(method.invoke(found.get(), arguments));
            return true;
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof StaleElementReferenceException) {
                found.set(search.get());
            } else if (!(e.getCause() instanceof ElementClickInterceptedException)) {
                throw e.getCause() instanceof Exception refused ? refused : e;
            }
            return false;
        }
    }
}
