package ai.molecule.provisioner.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** The smallest agent there is: a jar that says who it is and waits to be stopped. */
public final class TinyAgent {

    private TinyAgent() {}

    public static void main(String[] args) throws InterruptedException {
        System.out.println("agent " + System.getenv("WORKSPACE_ID") + " heap "
                + Runtime.getRuntime().maxMemory() / (1024 * 1024));
        Thread.currentThread().join();
    }

    public static Path jarIn(Path folder) throws IOException {
        var manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, TinyAgent.class.getName());
        String entry = TinyAgent.class.getName().replace('.', '/') + ".class";
        var jar = folder.resolve("agent.jar");
        try (var out = new JarOutputStream(Files.newOutputStream(jar), manifest);
                var in = TinyAgent.class.getClassLoader().getResourceAsStream(entry)) {
            if (in == null) {
                throw new IOException(entry + " is missing");
            }
            out.putNextEntry(new JarEntry(entry));
            in.transferTo(out);
            out.putNextEntry(new JarEntry("META-INF/molecule/adapters"));
            out.write("echo\n".getBytes(StandardCharsets.UTF_8));
        }
        return jar;
    }
}
