package ai.molecule.sdk;

import java.io.FileNotFoundException;
import java.net.URLConnection;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Files as {@code multipart/form-data}, read from the disk while they are sent. */
record MultipartForm(String contentType, BodyPublisher body) {

    static MultipartForm ofFiles(String field, List<Path> files) throws FileNotFoundException {
        String boundary = "molecule-" + UUID.randomUUID();
        List<BodyPublisher> pieces = new ArrayList<>();
        for (Path file : files) {
            pieces.add(BodyPublishers.ofString(head(boundary, field, String.valueOf(file.getFileName()))));
            pieces.add(BodyPublishers.ofFile(file));
            pieces.add(BodyPublishers.ofString("\r\n"));
        }
        pieces.add(BodyPublishers.ofString("--" + boundary + "--\r\n"));
        return new MultipartForm(
                "multipart/form-data; boundary=" + boundary,
                BodyPublishers.concat(pieces.toArray(new BodyPublisher[0])));
    }

    private static String head(String boundary, String field, String name) {
        String guessed = URLConnection.guessContentTypeFromName(name);
        return "--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + field + "\"; filename=\""
                + quoted(name) + "\"\r\nContent-Type: " + (guessed == null ? "application/octet-stream" : guessed)
                + "\r\n\r\n";
    }

    /** A name cannot end its header early. */
    private static String quoted(String name) {
        return name.replace("\"", "%22").replace("\r", "%0D").replace("\n", "%0A");
    }
}
