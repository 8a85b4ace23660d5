{{ config(materialized='table') }} SELECT id FROM {{ source('a', 'b') }}
