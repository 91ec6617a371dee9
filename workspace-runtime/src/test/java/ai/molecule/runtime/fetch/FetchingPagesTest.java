package ai.molecule.runtime.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages of a web server on this machine, which the operator has opened. */
class FetchingPagesTest {

    private static final WorkspaceClient NOBODY =
            new WorkspaceClient(ClientConfig.of("me", "http://127.0.0.1:1", TokenFile.in(Path.of("no-such-folder"))));

    private HttpServer web;
    private ExecutorService threads;
    private FetchTool fetch;

    @BeforeEach
    void start() throws Exception {
        threads = Executors.newVirtualThreadPerTaskExecutor();
        web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        web.setExecutor(threads);
        web.start();
        fetch = FetchTool.with(Networks.listedIn("127.0.0.0/8"), FetchingPagesTest::lookUp);
    }

    @AfterEach
    void stop() {
        fetch.close();
        web.stop(0);
        threads.shutdownNow();
    }

    private static InetAddress[] lookUp(String host) throws UnknownHostException {
        return switch (host) {
            case "site.test" -> new InetAddress[] {InetAddress.getByName("127.0.0.1")};
            case "two-faced.test" ->
                new InetAddress[] {InetAddress.getByName("127.0.0.1"), InetAddress.getByName("10.0.0.1")};
            case "inside.test" -> new InetAddress[] {InetAddress.getByName("10.0.0.1")};
            default -> InetAddress.getAllByName(host);
        };
    }

    @Test
    void a_page_is_told_as_its_words_with_its_links() throws Exception {
        page(
                "/",
                "text/html; charset=utf-8",
                "<html><head><title>A &amp; B</title><style>p{}</style></head><body><h1>Tea</h1>"
                        + "<script>alert(1)</script><p>Buy   <a href=\"/leaf?a=1&amp;b=2\">leaves</a>&nbsp;now &lt;3 &#8364;</p><ul><li>one<li>two</ul></body></html>");

        assertThat(call(url("/")))
                .isEqualTo(url("/") + " (200)\n\nA & B\n\nTea\n\nBuy leaves </leaf?a=1&b=2> now <3 €\n\n- one\n- two");
    }

    @Test
    void what_is_long_comes_in_parts() throws Exception {
        page("/long", "text/plain", "x".repeat(FetchTool.ANSWER_MAX_CHARS) + "the end");

        assertThat(call(url("/long"))).endsWith("x\n[7 more characters, from start 40000]");
        assertThat(callFrom(url("/long"), FetchTool.ANSWER_MAX_CHARS)).endsWith("\n\nthe end");
    }

    @Test
    void a_page_that_is_too_large_is_read_to_the_bound() throws Exception {
        page("/huge", "text/plain", "y".repeat(PageLoader.BODY_MAX_BYTES + 1));

        assertThat(callFrom(url("/huge"), PageLoader.BODY_MAX_BYTES - 1))
                .contains("\n\ny\n", "[the page is larger than 2 MiB; the rest was not read]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "&#32;",
                "&nbsp;",
                "&",
                "<head><title</head>",
                "<head><title>x</head>",
                "<script>",
                "<!--",
                "<",
                "<li>&#9;",
                "<a href='x'>y</a> ",
                "&#10;",
                "<title>"
            })
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    void a_page_that_is_made_to_take_long_is_read_like_another(String again) {
        int times = 2 * 1024 * 1024 / again.length();

        assertThat(PageText.of("<p>begin " + again.repeat(times))).startsWith("begin");
    }

    @Test
    void blanks_of_any_spelling_are_one() {
        assertThat(PageText.of("a&nbsp;&#32; &#9;\n&#10;b<br>&nbsp;c&#128512;&amp;d"))
                .isEqualTo("a b\nc\uD83D\uDE00&d");
    }

    @Test
    void redirects_are_followed_where_they_may_lead() throws Exception {
        page("/new", "text/plain", "here");
        redirect("/old", "/new");
        redirect("/in", "http://inside.test/");
        redirect("/metadata", "http://169.254.169.254/latest");
        redirect("/file", "file:///etc/passwd");
        redirect("/round", "/round");

        assertThat(call(url("/old"))).isEqualTo(url("/new") + " (200)\n\nhere");
        assertThat(call(url("/in"))).startsWith("Error: inside.test is on a network that the operator has not opened");
        assertThat(call(url("/metadata"))).startsWith("Error: 169.254.169.254 is on a network");
        assertThat(call(url("/file"))).startsWith("Error: url must be an http or https URL");
        assertThat(call(url("/round"))).isEqualTo("Error: it redirects more than 5 times");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://two-faced.test/",
                "http://inside.test/",
                "http://[::1]/",
                "http://[::ffff:10.0.0.1]/",
                "http://192.168.1.1/",
                "http://0.0.0.0/",
                "http://100.64.0.1/",
                "http://[fe80::1]/",
                "http://[fd00::1]/"
            })
    void addresses_that_are_not_public_or_listed_are_refused(String url) throws Exception {
        assertThat(call(url)).contains("is on a network that the operator has not opened (MOLECULE_FETCH_NETWORKS)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp://site.test/", "http://me:secret@site.test/", "/path", "http://", "http://a b/"})
    void what_is_no_address_of_a_page_is_refused(String url) throws Exception {
        assertThat(call(url)).isEqualTo("Error: url must be an http or https URL without a name or password in it");
    }

    @Test
    void who_is_not_there_is_told() throws Exception {
        assertThat(call("http://site.test:1/")).startsWith("Error: it cannot be reached: ");
        assertThat(call("http://no-such-name.invalid/"))
                .isEqualTo("Error: the name no-such-name.invalid cannot be found");
    }

    @Test
    void an_image_is_no_text() throws Exception {
        page("/image", "image/png", "...");

        assertThat(call(url("/image"))).isEqualTo("Error: it is image/png, which is no text");
    }

    @Test
    void the_list_of_networks_is_checked_and_opens_no_metadata() throws Exception {
        assertThatThrownBy(() -> Networks.listedIn("10.0.0.0/8, ten.test/8"))
                .hasMessage("ten.test/8 is no network such as 10.1.0.0/16");
        assertThatThrownBy(() -> Networks.listedIn("10.0.0.0/33")).isInstanceOf(IllegalArgumentException.class);
        var all = Networks.listedIn("0.0.0.0/0");
        assertThat(all.allow(InetAddress.getByName("10.0.0.1"))).isTrue();
        assertThat(all.allow(InetAddress.getByName("169.254.169.254"))).isFalse();
        assertThat(Networks.listedIn("").allow(InetAddress.getByName("93.184.215.14")))
                .isTrue();
        assertThat(Networks.listedIn("").allow(InetAddress.getByName("2606:2800::1")))
                .isTrue();
    }

    private String url(String path) {
        return "http://site.test:" + web.getAddress().getPort() + path;
    }

    private void page(String path, String type, String body) {
        web.createContext(path, exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", type);
            exchange.sendResponseHeaders(200, bytes.length);
            try (exchange) {
                exchange.getResponseBody().write(bytes);
            }
        });
    }

    private void redirect(String path, String to) {
        web.createContext(path, exchange -> {
            exchange.getResponseHeaders().add("Location", to);
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });
    }

    private String call(String url) throws Exception {
        return callFrom(url, 0);
    }

    private String callFrom(String url, int start) throws Exception {
        ToolSpec tool = fetch.tool();
        return tool.run(
                new Toolbox(new Workspaces(List.of(NOBODY)), Optional.empty()),
                JsonNodeFactory.instance.objectNode().put("url", url).put("start", start));
    }
}
