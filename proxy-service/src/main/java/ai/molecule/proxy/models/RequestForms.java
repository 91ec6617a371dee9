package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.models.Provider;
import ai.molecule.common.models.ProviderTable.Chosen;
import ai.molecule.proxy.models.translation.RequestTranslation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One request in each form that those of its route are asked in: as it came, and translated. All are made before anything leaves, so
 * that what is not translated is refused then, and not behind a provider that failed.
 *
 * @param asked as it came
 * @param route those of the route that can be asked, in their order
 */
record RequestForms(ModelRequest asked, List<Chosen> route, Map<Form, Translated> translated) {

    private record Form(ModelOperation operation, String outputLimit) {}

    private record Translated(ModelRequest request, boolean tellsUsage) {}

    /** @throws ApiError INVALID where nobody of the route can be asked, with what is not translated for the first */
    static RequestForms of(ModelRequest asked, List<Chosen> route) {
        Map<Form, Translated> translated = new LinkedHashMap<>();
        List<Chosen> open = new ArrayList<>();
        ApiError refusal = null;
        for (var chosen : route) {
            var form = formFor(asked, chosen.provider());
            try {
                if (form.operation != asked.operation() && !translated.containsKey(form)) {
                    translated.put(form, translate(asked, form));
                }
                open.add(chosen);
            } catch (ApiError notTranslated) {
                refusal = refusal == null ? notTranslated : refusal;
            }
        }
        if (open.isEmpty() && refusal != null) {
            throw refusal;
        }
        return new RequestForms(asked, List.copyOf(open), translated);
    }

    private static Form formFor(ModelRequest asked, Provider provider) {
        return new Form(asked.operation().at(provider).orElse(asked.operation()), provider.outputLimit());
    }

    private static Translated translate(ModelRequest asked, Form form) {
        var from = asked.operation().spoken();
        var to = form.operation.spoken();
        if (from == null || to == null) {
            throw new IllegalStateException(asked.operation() + " is not translated into " + form.operation);
        }
        var made = RequestTranslation.of(asked.body(), from, to, form.outputLimit);
        return new Translated(ModelRequest.read(form.operation, made.body(), null, false), made.tellsUsage());
    }

    /** As that provider is asked. */
    ModelRequest at(Provider provider) {
        var one = translated.get(formFor(asked, provider));
        return one == null ? asked : one.request;
    }

    /** Whether the caller is to see the usage of a translated stream. */
    boolean tellsUsage(Provider provider) {
        @Nullable Translated one = translated.get(formFor(asked, provider));
        return one != null && one.tellsUsage;
    }

    /** Of all forms. */
    int bytes() {
        return asked.body().length
                + translated.values().stream()
                        .mapToInt(one -> one.request.body().length)
                        .sum();
    }

    /** What is left to be kept when its bytes are needed no more. */
    RequestForms sent() {
        return new RequestForms(asked.sent(), route, Map.of());
    }
}
