package ai.molecule.cli.demo;

import java.util.List;

/** The example organisations, as the provisioner has them ready. */
public enum Demo {
    /** Four with recorded brains, who look into a calendar and ask before they publish what they found. */
    CLUB("club", List.of("Team Lead", "Researcher", "Tester", "Writer")),
    /** Three of whom two repeat what they hear: enough to see one agent ask two others. */
    SMALL("demo", List.of("Team Lead", "Researcher", "Writer"));

    private final String dir;
    private final List<String> names;

    Demo(String dir, List<String> names) {
        this.dir = dir;
        this.names = names;
    }

    String dir() {
        return dir;
    }

    /** The lead comes first. */
    List<String> names() {
        return names;
    }
}
