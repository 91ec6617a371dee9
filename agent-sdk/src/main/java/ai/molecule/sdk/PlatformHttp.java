package ai.molecule.sdk;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Requests to the platform as every one of them is made: bearer when there is one, organisation and origin, a time limit,
 * a size limit, and failures as {@link PlatformException}. Only a GET is repeated, and only after a 429.
 */
final class PlatformHttp {

    static final ObjectMapper JSON = new ObjectMapper();

    private static final int TOO_MANY_REQUESTS = 429;

    private final ClientConfig config;

    PlatformHttp(ClientConfig config) {
        this.config = config;
    }

    /**
     * @param headers names and values in turn, beside those every request carries
     * @throws PlatformException for anything but a 2xx with JSON
     */
    JsonNode get(String path, Duration timeout, String... headers) {
        return read(getting(path, timeout, Exchange.RESPONSE_MAX_BYTES, headers));
    }

    /** {@link #get} in nobody's name, once. */
    JsonNode getWithoutBearer(String path, Duration timeout, String... headers) {
        HttpRequest request = request(path, headers).GET().build();
        return read(exchange(request, timeout, Exchange.RESPONSE_MAX_BYTES));
    }

    /** Once, never repeated: what was posted may have been acted on even when the answer is lost. */
    JsonNode post(String path, JsonNode body, Duration timeout, String... headers) {
        return read(postRaw(path, body, timeout, headers));
    }

    /** {@link #post}, for the caller who wants it to have arrived: a 2xx may say anything, or nothing. */
    void tell(String path, JsonNode body, Duration timeout, String... headers) {
        HttpResponse<byte[]> response = postRaw(path, body, timeout, headers);
        if (!succeeded(response)) {
            throw refusal(response);
        }
    }

    /** {@link #post}, for the caller who does not care what the answer was. */
    HttpResponse<byte[]> postRaw(String path, JsonNode body, Duration timeout, String... headers) {
        var request = request(path, headers).header("Content-Type", "application/json");
        return exchange(authenticated(request.POST(json(body))), timeout, Exchange.RESPONSE_MAX_BYTES);
    }

    /** {@link #post} of something that is no JSON, which does answer with JSON. */
    JsonNode post(String path, HttpRequest.BodyPublisher body, String contentType, Duration timeout) {
        var request = request(path).header("Content-Type", contentType);
        return read(exchange(authenticated(request.POST(body)), timeout, Exchange.RESPONSE_MAX_BYTES));
    }

    /** The bytes of a 2xx answer. */
    byte[] download(String path, Duration timeout, int maxBytes) {
        HttpResponse<byte[]> response = getting(path, timeout, maxBytes);
        if (!succeeded(response)) {
            throw refusal(response);
        }
        return response.body();
    }

    /** The caller's own bearer as a header, none when there is none. */
    HttpRequest authenticated(HttpRequest.Builder request) {
        try {
            config.tokens().load().ifPresent(token -> request.setHeader("Authorization", "Bearer " + token));
        } catch (UncheckedIOException e) {
            throw new PlatformException("the workspace token cannot be read: " + e.getMessage(), e);
        }
        return request.build();
    }

    static String encoded(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }

    static HttpRequest.BodyPublisher json(JsonNode body) {
        try {
            return BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not representable as JSON", e);
        }
    }

    private HttpResponse<byte[]> getting(String path, Duration timeout, int maxBytes, String... headers) {
        HttpRequest request = authenticated(request(path, headers).GET());
        HttpResponse<byte[]> response = exchange(request, timeout, maxBytes);
        for (int attempt = 1;
                response.statusCode() == TOO_MANY_REQUESTS && attempt <= RetryPause.RETRIES_MAX;
                attempt++) {
            pause(RetryPause.before(
                    attempt, response, ThreadLocalRandom.current().nextDouble()));
            response = exchange(request, timeout, maxBytes);
        }
        return response;
    }

    private HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder request =
                TraceContext.told(HttpRequest.newBuilder(URI.create(config.platformUrl() + path)));
        config.orgId().ifPresent(id -> request.setHeader("X-Molecule-Org-Id", id));
        config.origin().ifPresent(origin -> request.setHeader("Origin", origin));
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return request;
    }

    private static HttpResponse<byte[]> exchange(HttpRequest request, Duration timeout, int maxBytes) {
        try {
            return Exchange.send(request, timeout, maxBytes);
        } catch (InterruptedIOException e) {
            throw new PlatformException("interrupted while calling the platform", e);
        } catch (IOException e) {
            throw new PlatformException("platform cannot be reached: " + Exchange.describe(e), e);
        }
    }

    private static JsonNode read(HttpResponse<byte[]> response) {
        if (!succeeded(response)) {
            throw refusal(response);
        }
        return parse(response);
    }

    private static PlatformException refusal(HttpResponse<byte[]> response) {
        return new PlatformException(
                response.statusCode(), parse(response).path("error").asText("no reason given"));
    }

    /** @throws PlatformException with the status when the answer is no JSON */
    private static JsonNode parse(HttpResponse<byte[]> response) {
        try {
            return JSON.readTree(response.body());
        } catch (IOException notJson) {
            throw new PlatformException(response.statusCode(), "the answer was not JSON");
        }
    }

    private static boolean succeeded(HttpResponse<?> response) {
        return response.statusCode() >= 200 && response.statusCode() < 300;
    }

    private static void pause(Duration duration) {
        try {
            Thread.sleep(duration.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PlatformException("interrupted while waiting to ask the platform again", e);
        }
    }
}
