import java.sql.DriverManager;

/** {@code java -cp <driver> Show.java <port> <password-file> <setting>...}: prints what PostgreSQL says of its settings. */
class Show {

    public static void main(String[] args) throws Exception {
        var password = java.nio.file.Files.readString(java.nio.file.Path.of(args[1])).strip();
        var url = "jdbc:postgresql://127.0.0.1:" + args[0] + "/molecule";
        try (var connection = DriverManager.getConnection(url, "molecule", password);
                var statement = connection.createStatement()) {
            for (int i = 2; i < args.length; i++) {
                var row = statement.executeQuery("SHOW " + args[i]);
                row.next();
                System.out.println(args[i] + " = " + row.getString(1));
            }
        }
    }
}
