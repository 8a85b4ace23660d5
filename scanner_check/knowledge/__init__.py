"""What settings mean, as rows: by the documentation of the client, the broker, the platform or the resource."""
