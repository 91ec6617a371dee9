package ai.molecule.provisioner.backend;

import ai.molecule.common.auth.ModelKey;
import ai.molecule.common.models.ModelProtocol;
import ai.molecule.common.models.Provider;
import ai.molecule.common.models.ProviderTable;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How an agent reaches models: not with the keys that its secrets hold, which stay with the platform, but through the model door. Under the
 * same names it gets a key that opens the door alone, and beside them the door's address for the programs of each protocol.
 */
public final class ModelVariables {

    /** Where the door is, without a protocol. */
    static final String DOOR = "MOLECULE_MODEL_DOOR";

    /** What opens it. */
    private static final String KEY = "MOLECULE_MODEL_KEY";

    /** Each provider: {@code name:+} when it may be asked, {@code name:@} at an address of the workspace's own, else the secret it wants. */
    private static final String PROVIDERS = "MOLECULE_MODEL_PROVIDERS";

    /** What is asked when nobody said which; without a model behind the colon any will do. */
    private static final String DEFAULT = "MOLECULE_MODEL_DEFAULT";

    /** Of the programs of one protocol. */
    private record Names(String key, String url, String path) {}

    private static final Map<ModelProtocol, Names> NAMES = new EnumMap<>(Map.of(
            ModelProtocol.OPENAI, new Names("OPENAI_API_KEY", "OPENAI_BASE_URL", "/openai/v1"),
            ModelProtocol.ANTHROPIC, new Names("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "/anthropic"),
            ModelProtocol.GOOGLE, new Names("GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "/google")));

    private ModelVariables() {}

    /**
     * A workspace's secrets as its agent gets them.
     *
     * @param token of the start
     */
    static Map<String, String> inPlaceOf(Map<String, String> secrets, ProviderTable table, String token) {
        String key = ModelKey.of(token);
        Set<String> given = secrets.entrySet().stream()
                .filter(secret -> !secret.getValue().isBlank())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        Map<String, String> told = new TreeMap<>(secrets);
        told.keySet().removeAll(table.secrets());
        told.put(KEY, key);
        told.put(PROVIDERS, standing(table, given));
        Set<ModelProtocol> spoken = new HashSet<>();
        for (var provider : table.all()) {
            String secret = provider.secret();
            if (secret != null && given.contains(secret)) {
                told.put(secret, key);
            }
            if (table.isReplayed() || isGiven(provider, given)) {
                spoken.addAll(provider.endpoints().keySet());
                String model = defaultOf(provider, given);
                if (model != null) {
                    told.putIfAbsent(DEFAULT, model);
                }
            }
        }
        spoken.forEach(protocol -> told.put(name(protocol).key, key));
        return told;
    }

    /**
     * Where the programs find the door.
     *
     * @param told what {@link #inPlaceOf} made
     * @param platformUrl the front door, as the agent reaches it
     */
    static Map<String, String> addresses(Map<String, String> told, String platformUrl) {
        String door = platformUrl.replaceAll("/+$", "") + "/models";
        Map<String, String> addresses = new TreeMap<>(Map.of(DOOR, door));
        String key = told.getOrDefault(KEY, "");
        for (var names : NAMES.values()) {
            if (!key.isEmpty() && key.equals(told.get(names.key))) {
                addresses.put(names.url, door + names.path);
            }
        }
        return addresses;
    }

    private static String standing(ProviderTable table, Set<String> given) {
        return table.all().stream()
                .map(provider -> provider.name() + ":" + (table.isReplayed() ? "+" : standing(provider, given)))
                .collect(Collectors.joining(" "));
    }

    private static String standing(Provider provider, Set<String> given) {
        if (hasOwnAddress(provider, given)) {
            return "@";
        }
        if (provider.isReady(given)) {
            return "+";
        }
        String wanted = provider.endpoints().isEmpty() ? provider.urlSecret() : provider.secret();
        return wanted == null ? "" : wanted;
    }

    /** Somebody gave a key or an address for it. */
    private static boolean isGiven(Provider provider, Set<String> given) {
        boolean asksNothing = provider.secret() == null && !hasOwnAddress(provider, given);
        return provider.isReady(given) && !asksNothing;
    }

    private static boolean hasOwnAddress(Provider provider, Set<String> given) {
        return provider.urlSecret() != null && given.contains(provider.urlSecret());
    }

    private static @Nullable String defaultOf(Provider provider, Set<String> given) {
        if (hasOwnAddress(provider, given)) {
            return provider.name() + ":";
        }
        return provider.defaultModel() == null ? null : provider.name() + ":" + provider.defaultModel();
    }

    private static Names name(ModelProtocol protocol) {
        return NAMES.getOrDefault(protocol, new Names("", "", ""));
    }
}
