"""Documents of what a dictionary holds, in the formats of others: data contracts, AsyncAPI, Backstage entities."""
