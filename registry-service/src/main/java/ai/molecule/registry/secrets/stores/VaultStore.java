package ai.molecule.registry.secrets.stores;

import static java.nio.charset.StandardCharsets.UTF_8;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import ai.molecule.registry.secrets.stores.StoreFailure.Reason;
import ai.molecule.registry.secrets.stores.StoreSettings.Vault;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * HashiCorp Vault's secrets engine KV version 2, by {@code GET /v1/<mount>/data/<path>}. The address is the operator's alone: a path has
 * only characters that mean nothing in a URL, and a redirection is an error.
 */
final class VaultStore implements SecretStore {

    /** A mount may have several parts; no part begins with a dot, and so none is {@code ..}. */
    private static final Pattern PATH = Pattern.compile(
            "[A-Za-z0-9_-][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*/data(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]*)+#[^#/]{1,128}");

    /** One secret of Vault may have many fields, of which one is read. */
    private static final int ANSWER_MAX_BYTES = 1024 * 1024;

    private static final int TOKEN_MAX_BYTES = 16 * 1024;
    private static final int OPEN_MAX = 4;
    private static final int WAITING_MAX = 200;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);

    private final Vault settings;
    private final Duration patience;
    private final WorkerExecutor workers;
    private final HttpClient client;

    VaultStore(Vertx vertx, WorkerExecutor workers, Vault settings, Duration patience) {
        this.settings = settings;
        this.patience = patience;
        this.workers = workers;
        var options = new HttpClientOptions()
                .setSsl("https".equals(settings.address().getScheme()))
                .setConnectTimeout((int) CONNECT_TIMEOUT.toMillis());
        var authorities = settings.authorities();
        if (authorities != null) {
            options.setTrustOptions(new PemTrustOptions().addCertPath(authorities.toString()));
        }
        this.client = vertx.createHttpClient(
                options, new PoolOptions().setHttp1MaxSize(OPEN_MAX).setMaxWaitQueueSize(WAITING_MAX));
    }

    @Override
    public void check(String path) {
        if (!PATH.matcher(path).matches()) {
            throw ApiError.invalid("a reference to Vault must be like vault:<mount>/data/<path>#<field>");
        }
    }

    @Override
    public Future<String> read(String path) {
        int hash = path.indexOf('#');
        if (!PATH.matcher(path).matches()) {
            return Future.failedFuture(new StoreFailure(Reason.NOT_ALLOWED));
        }
        String field = path.substring(hash + 1);
        return token().compose(token -> ask("/v1/" + path.substring(0, hash), token))
                .map(answer -> fieldOf(answer, field));
    }

    private Future<Buffer> ask(String path, String token) {
        var address = settings.address();
        var options = new RequestOptions()
                .setMethod(HttpMethod.GET)
                .setHost(address.getHost())
                .setPort(portOf(address))
                .setURI(path)
                .putHeader("X-Vault-Token", token)
                .putHeader("X-Vault-Request", "true")
                .putHeader("Accept", "application/json");
        String namespace = settings.namespace();
        if (namespace != null) {
            options.putHeader("X-Vault-Namespace", namespace);
        }
        var opening = client.request(options);
        return opening.compose(HttpClientRequest::send)
                .compose(VaultStore::bodyOf)
                .timeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .onFailure(failed -> opening.onSuccess(HttpClientRequest::reset))
                .recover(failed -> Future.failedFuture(
                        failed instanceof StoreFailure
                                ? failed
                                : new StoreFailure(
                                        failed instanceof TimeoutException ? Reason.TIMED_OUT : Reason.UNREACHABLE)));
    }

    private static int portOf(URI address) {
        if (address.getPort() >= 0) {
            return address.getPort();
        }
        return "https".equals(address.getScheme()) ? 443 : 80;
    }

    private static Future<Buffer> bodyOf(HttpClientResponse response) {
        int status = response.statusCode();
        if (status != 200) {
            response.exceptionHandler(cut -> {}).request().reset();
            return Future.failedFuture(new StoreFailure(
                    switch (status) {
                        case 401, 403 -> Reason.DENIED;
                        case 404 -> Reason.NOT_FOUND;
                        case 429, 472, 473, 503 -> Reason.SEALED;
                        default -> Reason.FAILED;
                    }));
        }
        Promise<Buffer> read = Promise.promise();
        var body = Buffer.buffer();
        response.exceptionHandler(read::tryFail)
                .endHandler(end -> read.tryComplete(body))
                .handler(chunk -> {
                    if (body.length() + chunk.length() > ANSWER_MAX_BYTES) {
                        read.tryFail(new StoreFailure(Reason.TOO_LARGE));
                    } else {
                        body.appendBuffer(chunk);
                    }
                });
        return read.future();
    }

    /** {@code data.data.<field>}; of numbers and truths nobody knows how they are to be written. */
    private static String fieldOf(Buffer answer, String field) {
        try {
            var value = Json.parse(answer.getBytes()).path("data").path("data").path(field);
            if (!value.isTextual()) {
                throw new StoreFailure(Reason.NO_FIELD);
            }
            return SecretStores.checked(value.textValue());
        } catch (IOException malformed) {
            throw new StoreFailure(Reason.FAILED);
        }
    }

    private Future<String> token() {
        String token = settings.token();
        var file = settings.tokenFile();
        return token != null || file == null
                ? Future.succeededFuture(token == null ? "" : token)
                : workers.executeBlocking(() -> tokenIn(file), false);
    }

    private static String tokenIn(Path file) {
        try (var in = Files.newInputStream(file)) {
            String token = new String(in.readNBytes(TOKEN_MAX_BYTES), UTF_8).strip();
            if (token.chars().allMatch(each -> each > ' ' && each < 0x7f)) {
                return token;
            }
        } catch (IOException unreadable) {
            // same answer as for one that cannot be sent
        }
        throw new StoreFailure(Reason.DENIED);
    }

    Future<Void> close() {
        return client.close();
    }
}
