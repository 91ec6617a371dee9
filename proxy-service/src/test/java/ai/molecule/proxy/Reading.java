package ai.molecule.proxy;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.util.concurrent.CompletableFuture;

/** A client that reads an answer as it comes. */
public final class Reading {

    private final HttpClient client;
    public final HttpClientResponse response;
    public final CompletableFuture<String> end = new CompletableFuture<>();
    private final StringBuffer text = new StringBuffer();

    private Reading(HttpClient client, HttpClientResponse response) {
        this.client = client;
        this.response = response;
    }

    public static Reading of(Vertx vertx, HttpMethod method, int port, String path, String body, String... headers) {
        return open(vertx, method, port, path, body, headers)
                .map(Reading::listen)
                .await();
    }

    /** An answer of which nothing is read yet. */
    public static Reading paused(Vertx vertx, HttpMethod method, int port, String path, String body) {
        return open(vertx, method, port, path, body).await();
    }

    private static Future<Reading> open(
            Vertx vertx, HttpMethod method, int port, String path, String body, String... headers) {
        var all = MultiMap.caseInsensitiveMultiMap();
        for (int i = 0; i < headers.length; i += 2) {
            all.add(headers[i], headers[i + 1]);
        }
        var client = vertx.createHttpClient();
        return client.request(method, port, "127.0.0.1", path)
                .compose(request -> {
                    request.headers().addAll(all);
                    return request.send(Buffer.buffer(body)).map(response -> {
                        response.pause();
                        return response;
                    });
                })
                .map(response -> new Reading(client, response));
    }

    public Reading listen() {
        response.exceptionHandler(end::completeExceptionally)
                .endHandler(over -> end.complete(text.toString()))
                .handler(chunk -> text.append(chunk));
        response.resume();
        return this;
    }

    public String soFar() {
        return text.toString();
    }

    public void leave() {
        client.close().await();
    }
}
