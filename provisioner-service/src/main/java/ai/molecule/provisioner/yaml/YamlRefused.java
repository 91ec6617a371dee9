package ai.molecule.provisioner.yaml;

/** A text is no YAML that may be read. The message goes on after the file's name: {@code is nested too deep}. */
public final class YamlRefused extends RuntimeException {

    YamlRefused(String message) {
        super(message);
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }
}
