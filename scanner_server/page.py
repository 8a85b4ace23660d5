def page_routes():
    return []
