package ai.molecule.canvas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.JavascriptException;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * A headless Chromium with an empty profile. Where none is installed the test is skipped and says so; with {@code
 * MOLECULE_REQUIRE_BROWSER=1}, as in CI, that is a failure. With {@code -Dmolecule.browser=off} none is started.
 */
public final class Browser implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<Keys> HELD = Set.of(Keys.CONTROL, Keys.SHIFT, Keys.ALT, Keys.META);
    private static final String AXE = "/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js";

    /**
     * The first of those a person sees whose words, or name for those who hear it, hold what is asked; once it stands still, for what moves
     * away under the pointer is not pressed.
     */
    private static final String SEEN = """
            const [css, words, done] = arguments;
            const frame = () => new Promise(requestAnimationFrame);
            const placeOf = (one) => JSON.stringify(one.getBoundingClientRect());
            const sized = (one) => {
              const box = one.getBoundingClientRect();
              return (box.width > 0 && box.height > 0) || [...one.children].some(sized);
            };
            const found = [...document.querySelectorAll(css)].find((one) => {
              const shown = one.closest('select') ?? one;
              if (!shown.checkVisibility({ visibilityProperty: true }) || !sized(shown)) return false;
              const says = (one.localName === 'option' ? one.textContent : (one.innerText ?? '')).replaceAll('\\u00a0', ' ').trim();
              return !words || `${says} ${one.getAttribute('aria-label')}`.includes(words);
            });
            if (!found) return done(null);
            const before = placeOf(found);
            frame().then(frame).then(() => done(found.isConnected && placeOf(found) === before ? found : null));
            """;

    static {
        Awaitility.setDefaultTimeout(Waits.PATIENCE); // or waits that name no end of their own have ten seconds
    }

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    public static Browser open() {
        if ("off".equals(System.getProperty("molecule.browser"))) {
            abort("the page is the same whoever looks at it: molecule.browser=off");
        }
        var chromium = program("chromium", "chromium-browser", "google-chrome");
        var chromedriver = program("chromedriver");
        if (chromium.isEmpty() || chromedriver.isEmpty()) {
            String why = "no chromium and chromedriver on the PATH (Debian: chromium, chromium-driver)";
            if ("1".equals(System.getenv("MOLECULE_REQUIRE_BROWSER"))) {
                throw new AssertionError(why);
            }
            abort(why);
        }
        var options = new ChromeOptions();
        options.setBinary(chromium.orElseThrow().toFile());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-extensions",
                "--lang=en-GB",
                "--window-size=1440,900");
        var logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, java.util.logging.Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        var service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver.orElseThrow().toFile())
                .usingAnyFreePort()
                .withLogOutput(java.io.OutputStream.nullOutputStream())
                .build();
        return new Browser(new ChromeDriver(service, options));
    }

    private static Optional<Path> program(String... names) {
        return Stream.of(System.getenv("PATH").split(":", -1))
                .flatMap(folder -> Stream.of(names).map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    public Browser go(String url) {
        driver.get(url);
        return this;
    }

    /** As a phone or a window of that size is. */
    public Browser size(int width, int height) {
        cdp(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
        return this;
    }

    /** {@code prefers-color-scheme}, {@code prefers-reduced-motion}, {@code forced-colors}. */
    public Browser prefers(String feature, String value) {
        cdp("Emulation.setEmulatedMedia", Map.of("features", List.of(Map.of("name", feature, "value", value))));
        return this;
    }

    public Browser offline(boolean offline) {
        cdp("Network.enable", Map.of());
        cdp(
                "Network.emulateNetworkConditions",
                Map.of("offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
        return this;
    }

    private Map<String, Object> cdp(String command, Map<String, Object> parameters) {
        return driver.executeCdpCommand(command, parameters);
    }

    public ChromeDriver driver() {
        return driver;
    }

    /** What a script in the page returns; what it looks for and does not find yet, because the page is still drawing, is waited for. */
    public @Nullable Object script(String script, Object... arguments) {
        return Awaitility.await("the page has not what is asked: " + script)
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptionsMatching(Browser::isNotThereYet)
                .until(() -> Optional.ofNullable(driver.executeScript(script, arguments)), answered -> true)
                .orElse(null);
    }

    private static boolean isNotThereYet(Throwable failure) {
        return failure instanceof JavascriptException
                && String.valueOf(failure.getMessage()).contains(" of null ");
    }

    public JsonNode json(String script, Object... arguments) {
        try {
            return JSON.readTree(
                    String.valueOf(script("return JSON.stringify((() => {" + script + "})())", arguments)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The first that fits, once there is one that can be seen. */
    public WebElement find(String css) {
        return lasting("nothing is " + css, css, "");
    }

    /** A button, option, tab or the like by what a person hears of it. */
    public WebElement named(String css, String words) {
        return lasting("no " + css + " says " + words, css, words);
    }

    private WebElement lasting(String otherwise, String css, String words) {
        return Lasting.element(() -> await(otherwise, () -> seen(css, words)), Waits.PATIENCE);
    }

    /** Pressed one after the other where the focus is; looked for and pressed in two steps, what is drawn anew between them hears nothing. */
    public void keys(CharSequence... keys) {
        for (CharSequence key : keys) {
            var pressing = new Actions(driver);
            var held = new ArrayDeque<Keys>(); // Actions let go of a chord's first key before its second
            for (char letter : key.toString().toCharArray()) {
                Keys special = Keys.getKeyFromUnicode(letter);
                if (special != null && HELD.contains(special)) {
                    pressing.keyDown(special);
                    held.push(special);
                } else if (special != Keys.NULL) {
                    pressing.sendKeys(String.valueOf(letter));
                }
            }
            held.forEach(pressing::keyUp);
            pressing.perform();
        }
    }

    /** What an expression says of {@code focus}, the element that has it, at one moment. */
    public String ofTheFocus(String expression) {
        return String.valueOf(
                script("const focus = document.activeElement ?? document.body; return String(" + expression + ");"));
    }

    /**
     * What a person reads or hears of what has the focus; nothing of a dialog that has it itself until what is in it is drawn, nor of the
     * whole page.
     */
    public String focused() {
        return ofTheFocus("['body', 'dialog'].includes(focus.localName) ? ''"
                + " : (focus.getAttribute('aria-label') ?? focus.innerText ?? '').trim()");
    }

    /** Looked for in the page, at once: asked of each element from outside it takes a second where there are many. */
    private Optional<WebElement> seen(String css, String words) {
        return Optional.ofNullable((WebElement) driver.executeAsyncScript(SEEN, css, words));
    }

    public boolean isThere(String css) {
        return !driver.findElements(By.cssSelector(css)).isEmpty();
    }

    public void see(String words) {
        await("nothing says " + words, () -> text().contains(words) ? Optional.of(words) : Optional.empty());
    }

    public void seeNot(String words) {
        await("it still says " + words, () -> text().contains(words) ? Optional.empty() : Optional.of(words));
    }

    private String text() {
        return String.valueOf(driver.executeScript("return document.body.innerText.replaceAll('\\u00a0', ' ')"));
    }

    private <T> T await(String otherwise, Supplier<Optional<T>> look) {
        return Awaitility.await(otherwise)
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptions()
                .until(look::get, Optional::isPresent)
                .orElseThrow();
    }

    /** Writes what is seen to {@code canvas/target/screens/<name>.png}, whichever module runs. */
    public Browser picture(String name) {
        assertThat(script("return document.documentElement.scrollWidth <= innerWidth"))
                .as("the page of " + name + " is no wider than its window")
                .isEqualTo(true);
        try {
            var folder = Files.createDirectories(Path.of("..", "canvas", "target", "screens"));
            Object data = cdp("Page.captureScreenshot", Map.of("format", "png")).get("data");
            Files.write(folder.resolve(name + ".png"), Base64.getDecoder().decode(String.valueOf(data)));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What axe-core finds that is serious or worse, one line each. */
    public List<String> seriousFindings() {
        if (!Boolean.TRUE.equals(driver.executeScript("return !!window.axe"))) {
            script(resource(AXE) + "; window.axe = axe;");
        }
        driver.manage().timeouts().scriptTimeout(Duration.ofSeconds(30));
        Object found = driver.executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                axe.run(document, { resultTypes: ['violations'] }).then((results) => done(results.violations
                  .filter((one) => one.impact === 'serious' || one.impact === 'critical')
                  .flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.target.join(' ')} ${node.failureSummary}`))));
                """);
        return found instanceof List<?> lines
                ? lines.stream().map(String::valueOf).toList()
                : List.of("axe said nothing");
    }

    /** What the browser complained of: refused loads, errors, policies. */
    public List<String> complaints() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= java.util.logging.Level.WARNING.intValue())
                .map(entry -> entry.getMessage())
                .toList();
    }

    public void assertCalm() {
        assertThat(complaints()).isEmpty();
    }

    static String resource(String path) {
        try (var in = Browser.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalStateException("no " + path);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
