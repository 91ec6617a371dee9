package ai.molecule.runtime.fetch;

import ai.molecule.runtime.tools.ToolRefusal;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Loads pages. The name of each is resolved here, every address it has must be allowed, and the first is the one connected to, so a name cannot
 * mean another machine a moment later; the same holds for each redirect.
 */
final class PageLoader implements AutoCloseable {

    static final int REDIRECTS_MAX = 5;
    static final int BODY_MAX_BYTES = 2 * 1024 * 1024;

    /** For a page with its redirects. */
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final Duration LOOKUP_TIMEOUT = Duration.ofSeconds(5);
    private static final int CONNECT_MILLIS = 5_000;
    private static final int HEADERS_MAX_BYTES = 32 * 1024;

    /**
     * @param url where it came from, redirects followed
     * @param cut whether there was more than {@link #BODY_MAX_BYTES}
     */
    record Page(URI url, int status, String type, Buffer body, boolean cut) {}

    /** Looks names up; tests have their own. */
    @FunctionalInterface
    interface Lookup {
        InetAddress[] addressesOf(String host) throws UnknownHostException;
    }

    private final Networks networks;
    private final Lookup lookup;
    private final Vertx vertx;
    private final HttpClient client;

    PageLoader(Networks networks, Lookup lookup) {
        this.networks = networks;
        this.lookup = lookup;
        this.vertx = Vertx.vertx(
                new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1).setInternalBlockingPoolSize(1));
        this.client = vertx.createHttpClient(new HttpClientOptions()
                .setConnectTimeout(CONNECT_MILLIS)
                .setMaxHeaderSize(HEADERS_MAX_BYTES)
                .setKeepAlive(false)
                .setDecompressionSupported(false));
    }

    /** @throws ToolRefusal saying why it cannot be had */
    Page load(String url) throws InterruptedException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        URI next = checked(url);
        for (int redirects = 0; ; redirects++) {
            Page page = loadOne(next, deadline);
            Optional<URI> target = redirectOf(page);
            if (target.isEmpty()) {
                return page;
            }
            if (redirects >= REDIRECTS_MAX) {
                throw new ToolRefusal("it redirects more than " + REDIRECTS_MAX + " times");
            }
            next = target.get();
        }
    }

    @Override
    public void close() {
        vertx.close();
    }

    private Page loadOne(URI url, long deadline) throws InterruptedException {
        InetAddress address = address(url.getHost());
        boolean https = url.getScheme().equals("https");
        int port = url.getPort() >= 0 ? url.getPort() : https ? 443 : 80;
        String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        var opened = client.request(new RequestOptions()
                .setMethod(HttpMethod.GET)
                .setServer(SocketAddress.inetSocketAddress(port, address.getHostAddress()))
                .setHost(url.getHost())
                .setPort(port)
                .setSsl(https)
                .setFollowRedirects(false)
                .setURI(url.getRawQuery() == null ? path : path + "?" + url.getRawQuery())
                .putHeader("User-Agent", "Molecule agent")
                .putHeader("Accept", "text/html, text/*, application/json, application/xml;q=0.9, */*;q=0.1")
                .putHeader("Accept-Encoding", "identity"));
        CompletableFuture<Page> page = opened.compose(
                        request -> request.send().compose(response -> read(url, request, response)))
                .toCompletionStage()
                .toCompletableFuture();
        try {
            return page.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new ToolRefusal("it did not answer within " + TIMEOUT.toSeconds() + " s");
        } catch (ExecutionException e) {
            throw new ToolRefusal("it cannot be reached: "
                    + Objects.requireNonNullElse(e.getCause(), e).getClass().getSimpleName());
        } finally {
            if (!page.isDone()) {
                opened.onSuccess(HttpClientRequest::reset);
            }
        }
    }

    private static Future<Page> read(URI url, HttpClientRequest request, HttpClientResponse response) {
        Promise<Page> page = Promise.promise();
        var body = Buffer.buffer();
        String type = Optional.ofNullable(response.getHeader("Content-Type")).orElse("");
        String where = Optional.ofNullable(response.getHeader("Location")).orElse("");
        URI from = response.statusCode() / 100 == 3 && !where.isEmpty() ? resolved(url, where) : url;
        response.exceptionHandler(page::tryFail)
                .endHandler(end -> page.tryComplete(new Page(from, response.statusCode(), type, body, false)))
                .handler(chunk -> {
                    int room = BODY_MAX_BYTES - body.length();
                    body.appendBuffer(chunk, 0, Math.min(room, chunk.length()));
                    if (chunk.length() > room) {
                        page.tryComplete(new Page(from, response.statusCode(), type, body.copy(), true));
                        request.reset();
                    }
                });
        return page.future();
    }

    private static Optional<URI> redirectOf(Page page) {
        boolean redirects = page.status() / 100 == 3 && page.status() != 304 && page.status() != 300;
        return redirects ? Optional.of(checked(page.url().toString())) : Optional.empty();
    }

    private static URI resolved(URI url, String where) {
        try {
            return url.resolve(where);
        } catch (IllegalArgumentException none) {
            return url; // told as too many redirects
        }
    }

    private static URI checked(String text) {
        try {
            URI url = URI.create(text);
            boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            if (http && url.getHost() != null && url.getUserInfo() == null && url.getPort() != 0) {
                return url;
            }
        } catch (IllegalArgumentException none) {
            // told below
        }
        throw new ToolRefusal("url must be an http or https URL without a name or password in it");
    }

    private InetAddress address(String host) throws InterruptedException {
        var looked = new CompletableFuture<InetAddress[]>();
        Thread.ofVirtual().name("fetch-lookup").start(() -> {
            try {
                looked.complete(lookup.addressesOf(host.startsWith("[") ? host.substring(1, host.length() - 1) : host));
            } catch (UnknownHostException | RuntimeException e) {
                looked.completeExceptionally(e);
            }
        });
        try {
            InetAddress[] addresses = looked.get(LOOKUP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            for (InetAddress address : addresses) {
                if (!networks.allow(address)) {
                    throw new ToolRefusal(
                            host + " is on a network that the operator has not opened (MOLECULE_FETCH_NETWORKS)");
                }
            }
            return addresses[0];
        } catch (ExecutionException | TimeoutException e) {
            throw new ToolRefusal("the name " + host + " cannot be found");
        }
    }
}
