package ai.molecule.common.models;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The three languages that programs speak to models. */
public enum ModelProtocol {
    OPENAI,
    ANTHROPIC,
    GOOGLE;

    /** As the table, paths and answers write it; also the provider meant by a model's name that names none. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<ModelProtocol> ofWire(String name) {
        return Stream.of(values()).filter(one -> one.wireName().equals(name)).findFirst();
    }
}
