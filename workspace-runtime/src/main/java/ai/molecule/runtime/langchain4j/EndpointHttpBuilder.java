package ai.molecule.runtime.langchain4j;

import dev.langchain4j.http.client.HttpClient;
import dev.langchain4j.http.client.HttpClientBuilder;
import java.time.Duration;

/** Hands our client to LangChain4j; the times it would set are ours already. */
record EndpointHttpBuilder(EndpointHttp client, Duration connectTimeout, Duration readTimeout)
        implements HttpClientBuilder {

    @Override
    public HttpClientBuilder connectTimeout(Duration ignored) {
        return this;
    }

    @Override
    public HttpClientBuilder readTimeout(Duration ignored) {
        return this;
    }

    @Override
    public HttpClient build() {
        return client;
    }
}
