package ai.molecule.sdk;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Reads one YAML document, and with it JSON, as maps, lists and plain values. What it costs is counted before any value is made: at most
 * 1 MiB, 50 levels, 50 aliases, 100,000 values once the aliases are written out, and numbers of 1,000 characters. No tags of Java's.
 *
 * <pre>{@code
 * Object settings = BoundedYaml.parse(Files.readString(Path.of("config.yaml")), false);
 * }</pre>
 */
public final class BoundedYaml {

    // The provisioner has a reader of its own, which makes JSON and knows tags:
    // ai.molecule.provisioner.yaml.BoundedYaml. The SDK is for Java 17 and
    // depends on nothing of the platform, the provisioner on nothing of the SDK, and no module is below both: one for
    // eighty lines would be
    // published with the SDK. BoundingYamlAlikeTest of services-tests holds the two to the same bounds.

    public static final int MAX_CHARS = 1024 * 1024;
    public static final int DEPTH_MAX = 50;
    public static final int ALIASES_MAX = 50;
    public static final int VALUES_MAX = 100_000;
    /** Making a number takes time that grows with the square of its length. */
    public static final int NUMBER_MAX_CHARS = 1_000;

    private BoundedYaml() {}

    /**
     * @param uniqueKeys whether a key that comes twice is refused; else the last one counts
     * @return null for an empty document
     * @throws IllegalArgumentException for what is no YAML or beyond a bound, with the reason in one line
     */
    public static @Nullable Object parse(String text, boolean uniqueKeys) {
        if (text.length() > MAX_CHARS) {
            throw new IllegalArgumentException("larger than 1 MiB");
        }
        var options = new LoaderOptions();
        options.setCodePointLimit(MAX_CHARS);
        options.setNestingDepthLimit(DEPTH_MAX);
        options.setMaxAliasesForCollections(ALIASES_MAX);
        options.setAllowDuplicateKeys(!uniqueKeys);
        try {
            return new Yaml(new Counting(options)).load(ByteOrderMark.strip(text));
        } catch (YAMLException | StackOverflowError | NumberFormatException e) {
            throw new IllegalArgumentException(firstLine(e), e);
        }
    }

    private static String firstLine(Throwable e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    private static final class Counting extends SafeConstructor {

        private int values;

        Counting(LoaderOptions options) {
            super(options);
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

        /** Every alias counts as what it stands for. */
        private void count(Node node, int depth) {
            if (depth > DEPTH_MAX) {
                throw new YAMLException("nested too deep");
            }
            if (++values > VALUES_MAX) {
                throw new YAMLException("more than " + VALUES_MAX + " values");
            }
            if (node instanceof ScalarNode) {
                checkNumber((ScalarNode) node);
            } else if (node instanceof SequenceNode) {
                ((SequenceNode) node).getValue().forEach(element -> count(element, depth + 1));
            } else if (node instanceof MappingNode) {
                ((MappingNode) node).getValue().forEach(member -> {
                    if (member.getKeyNode() instanceof ScalarNode) {
                        checkNumber((ScalarNode) member.getKeyNode());
                    } else {
                        count(member.getKeyNode(), depth + 1);
                    }
                    count(member.getValueNode(), depth + 1);
                });
            }
        }

        private static void checkNumber(ScalarNode scalar) {
            boolean number = scalar.getTag().equals(Tag.INT) || scalar.getTag().equals(Tag.FLOAT);
            if (number && scalar.getValue().length() > NUMBER_MAX_CHARS) {
                throw new YAMLException("a number of more than " + NUMBER_MAX_CHARS + " characters");
            }
        }
    }
}
