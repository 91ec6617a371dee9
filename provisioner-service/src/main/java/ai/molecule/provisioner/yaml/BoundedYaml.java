package ai.molecule.provisioner.yaml;

import ai.molecule.common.json.ByteOrderMark;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.math.BigInteger;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.AbstractConstruct;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Reads one YAML document as JSON: at most 1 MiB, 50 levels, 50 aliases, 100,000 values once the aliases are written out,
 * and numbers of 1,000 characters, all counted before a value is made. No tags but those the caller names, no key twice. What looks like a date is a text.
 */
public final class BoundedYaml {

    // Agents count the same in ai.molecule.sdk.BoundedYaml, which says why it is written twice; BoundingYamlAlikeTest
    // compares them.

    public static final int MAX_CHARS = 1024 * 1024;
    public static final int DEPTH_MAX = 50;
    public static final int ALIASES_MAX = 50;
    public static final int VALUES_MAX = 100_000;
    /** Making a longer number takes time that grows with the square of its length. */
    public static final int NUMBER_MAX_CHARS = 1_000;

    /** Beyond this a number is no setting. */
    private static final int NUMBER_BITS_MAX = 256;

    private int values;

    private BoundedYaml() {}

    /** The document; JSON null for an empty one. Fails with {@link YamlRefused}. */
    public static JsonNode parse(String text) {
        return parse(text, Map.of());
    }

    /**
     * The same with tags for texts.
     *
     * @param tags by name, such as {@code !include}: what stands for a text with that tag, given the text
     */
    public static JsonNode parse(String text, Map<String, Function<String, JsonNode>> tags) {
        return parse(text, tags, new WithoutDates());
    }

    /** The document with every value as the text it was written as: version 1.0 is not 1. */
    public static JsonNode parseTexts(String text) {
        return parse(text, Map.of(), new WithoutTypes());
    }

    private static JsonNode parse(String text, Map<String, Function<String, JsonNode>> tags, Resolver resolver) {
        if (text.length() > MAX_CHARS) {
            throw new YamlRefused("is larger than 1 MiB");
        }
        var options = new LoaderOptions();
        options.setCodePointLimit(MAX_CHARS);
        options.setNestingDepthLimit(DEPTH_MAX);
        options.setMaxAliasesForCollections(ALIASES_MAX);
        options.setAllowDuplicateKeys(false);
        options.setAllowRecursiveKeys(false);
        var written = new DumperOptions();
        var yaml = new Yaml(new Constructing(options, tags), new Representer(written), written, options, resolver);
        try {
            Object document = yaml.load(ByteOrderMark.strip(text));
            return new BoundedYaml().json(document, 0);
        } catch (YAMLException | NumberFormatException | StackOverflowError notYaml) {
            throw new YamlRefused("is no YAML: " + firstLine(notYaml));
        }
    }

    private JsonNode json(@Nullable Object value, int depth) {
        if (depth > DEPTH_MAX || ++values > VALUES_MAX) {
            throw new YamlRefused(depth > DEPTH_MAX ? "is nested too deep" : "holds too many values");
        }
        return switch (value) {
            case null -> JsonNodeFactory.instance.nullNode();
            case JsonNode included -> included;
            case String text -> JsonNodeFactory.instance.textNode(text);
            case Boolean flag -> JsonNodeFactory.instance.booleanNode(flag);
            case Integer number -> JsonNodeFactory.instance.numberNode(number);
            case Long number -> JsonNodeFactory.instance.numberNode(number);
            case BigInteger number
            when number.bitLength() <= NUMBER_BITS_MAX -> JsonNodeFactory.instance.numberNode(number);
            case Double number when Double.isFinite(number) -> Json.number(number);
            case List<?> list -> array(list, depth);
            case Map<?, ?> map -> {
                var object = Json.object();
                map.forEach((key, member) -> object.set(nameOf(key), json(member, depth + 1)));
                yield object;
            }
            default -> throw new YamlRefused("holds a value that is neither text, number, flag, list nor mapping");
        };
    }

    private JsonNode array(Collection<?> list, int depth) {
        var array = Json.MAPPER.createArrayNode();
        list.forEach(element -> array.add(json(element, depth + 1)));
        return array;
    }

    private static String nameOf(@Nullable Object key) {
        return switch (key) {
            case String name -> name;
            case Integer number -> number.toString();
            case Boolean flag -> flag.toString();
            case null, default -> throw new YamlRefused("has a key that is no text");
        };
    }

    /** What is wrong and where, without the excerpt of the text, which may be anything. */
    private static String firstLine(Throwable failure) {
        if (failure instanceof MarkedYAMLException marked && marked.getProblemMark() != null) {
            return "line %d: %s".formatted(marked.getProblemMark().getLine() + 1, marked.getProblem());
        }
        return String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
    }

    private static final class Constructing extends SafeConstructor {

        private int counted;

        Constructing(LoaderOptions options, Map<String, Function<String, JsonNode>> tags) {
            super(options);
            tags.forEach((name, meaning) -> yamlConstructors.put(new Tag(name), new AbstractConstruct() {
                @Override
                public Object construct(Node node) {
                    if (node instanceof ScalarNode scalar) {
                        return meaning.apply(scalar.getValue());
                    }
                    throw new YamlRefused(name + " stands before something that is no text");
                }
            }));
        }

        @Override
        public @Nullable Object getSingleData(Class<?> type) {
            Node document = composer.getSingleNode();
            if (document == null) {
                return null;
            }
            count(document, 0);
            return constructDocument(document);
        }

        /** Every alias counts as what it stands for, and what is merged as what it is merged from. */
        private void count(Node node, int depth) {
            if (depth > DEPTH_MAX || ++counted > VALUES_MAX) {
                throw new YamlRefused(depth > DEPTH_MAX ? "is nested too deep" : "holds too many values");
            }
            switch (node) {
                case ScalarNode scalar -> checkNumber(scalar);
                case SequenceNode list -> list.getValue().forEach(element -> count(element, depth + 1));
                case MappingNode mapping ->
                    mapping.getValue().forEach(member -> {
                        if (member.getKeyNode() instanceof ScalarNode name) {
                            checkNumber(name);
                        } else {
                            count(member.getKeyNode(), depth + 1);
                        }
                        count(member.getValueNode(), depth + 1);
                    });
                default -> {}
            }
        }

        private static void checkNumber(ScalarNode scalar) {
            boolean number = scalar.getTag().equals(Tag.INT) || scalar.getTag().equals(Tag.FLOAT);
            if (number && scalar.getValue().length() > NUMBER_MAX_CHARS) {
                throw new YamlRefused("holds a number of more than %d characters".formatted(NUMBER_MAX_CHARS));
            }
        }
    }

    private static final class WithoutTypes extends Resolver {

        @Override
        protected void addImplicitResolvers() {
            addImplicitResolver(Tag.NULL, EMPTY, null);
        }
    }

    /** Everything else as YAML 1.1 has it. */
    private static final class WithoutDates extends Resolver {

        @Override
        protected void addImplicitResolvers() {
            addImplicitResolver(Tag.BOOL, BOOL, "yYnNtTfFoO");
            addImplicitResolver(Tag.INT, INT, "-+0123456789");
            addImplicitResolver(Tag.FLOAT, FLOAT, "-+0123456789.");
            addImplicitResolver(Tag.MERGE, MERGE, "<");
            addImplicitResolver(Tag.NULL, NULL, "~nN\0");
            addImplicitResolver(Tag.NULL, EMPTY, null);
        }
    }
}
